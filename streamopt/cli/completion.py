"""Words that a shell proposes for options whose values typer doesn't know.

Files are the shell's own: it lists them where nothing is proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def among(names: Iterable[str] | Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a completion of one word of several, which are asked for when they are needed."""

    def proposed(incomplete: str) -> list[str]:
        known = names() if callable(names) else names
        return [name for name in known if name.startswith(incomplete)]

    return proposed


def listing(names: Iterable[str] | Callable[[], Iterable[str]]) -> Callable[[str], list[str]]:
    """Return a completion of the last word of a list with commas; none comes twice."""

    def proposed(incomplete: str) -> list[str]:
        before, comma, last = incomplete.rpartition(",")
        given = before.split(",")
        return [before + comma + name for name in among(names)(last) if name not in given]

    return proposed


def solvers() -> Iterable[str]:
    """Return the words that ``--solver`` takes."""
    from streamopt.solvers.registry import SOLVERS, WITHOUT_SOLVER

    return (*WITHOUT_SOLVER, *SOLVERS)


def rewrites() -> Iterable[str]:
    """Return the words that ``--without`` takes."""
    from streamopt.strategies.opt6.choices import PARTIAL_TILES, TRIED

    return (*TRIED, PARTIAL_TILES)


def codes(incomplete: str) -> list[str]:
    """Return the codes of errors and warnings that begin so; none before the first letter."""
    from streamopt.cli.error_codes import known_codes

    return among(known_codes)(incomplete.upper()) if incomplete else []
