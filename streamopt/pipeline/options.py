"""Options of public functions, checked when they are called: names, types and choices.

Python takes any keyword where a function has ``**options``, and says nothing of types; a slip of
the pen would be answered as if it were not there.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from difflib import get_close_matches
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar, cast

from streamopt.errors import Diagnostic, OptionError
from streamopt.pipeline.kinds import Kind, kinds_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

__all__ = ["checked"]

P = ParamSpec("P")
R = TypeVar("R")


def checked(
    *, built: type | None = None, **choices: Iterable[str]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that refuses wrong options of a function before it runs.

    Parameters
    ----------
    built
        The typed dictionary of ``**options``, where the function has any.
    choices
        By option: the words that it may be, or whose list it may be.

    Raises
    ------
    OptionError
        When the function is called: E541 for an option that it doesn't have, E542 for a value of
        a wrong type, E543 for one that is not among the choices; all at once.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        options = _Options.of(function, built, {key: tuple(of) for key, of in choices.items()})

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if found := (*options.problems(args, kwargs),):
                raise OptionError(*found)
            return function(*args, **kwargs)

        return call

    return decorate


@dataclass(frozen=True, slots=True)
class _Options:
    """What a function takes.

    Attributes
    ----------
    positional
        Names of those that may be given without a name, in order.
    kinds
        By name: the types that its value may have, any where there are none.
    """

    function: str
    positional: tuple[str, ...]
    kinds: Mapping[str, tuple[Kind, ...]]
    choices: Mapping[str, tuple[str, ...]]

    @classmethod
    def of(
        cls,
        function: Callable[..., object],
        built: type | None,
        choices: Mapping[str, tuple[str, ...]],
    ) -> _Options:
        found = inspect.signature(function).parameters.values()
        named = [p for p in found if p.kind is not inspect.Parameter.VAR_KEYWORD]
        kinds = {p.name: kinds_of(str(p.annotation)) for p in named}
        more: dict[str, Any] = {} if built is None else dict(inspect.get_annotations(built))
        kinds |= {name: kinds_of(of.__forward_arg__) for name, of in more.items()}
        positional = [p.name for p in named if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        return cls(function.__name__, tuple(positional), kinds, choices)

    def problems(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> Iterator[Diagnostic]:
        """Yield what is wrong with a call."""
        given = dict(zip(self.positional, args, strict=False)) | dict(kwargs)
        for name, value in given.items():
            kinds = self.kinds.get(name)
            if kinds is None:
                yield self._unknown(name)
            elif kinds and not any(kind.holds(value) for kind in kinds):
                yield _wrong_type(name, value, kinds)
            elif name in self.choices:
                yield from _wrong_words(name, value, self.choices[name])

    def _unknown(self, name: str) -> Diagnostic:
        message = f"{self.function}() has no option '{name}'"
        return Diagnostic("E541", message, hint=nearest(name, list(self.kinds)))


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint that names what was meant, or all that there is.

    Examples
    --------
    >>> nearest("time_limit", ["tiling_limit", "time_limit_seconds"])
    "did you mean 'time_limit_seconds'?"
    """
    longer = [each for each in known if each.startswith(name)]
    close = longer or get_close_matches(name, known, n=1, cutoff=0.5)
    return f"did you mean '{close[0]}'?" if close else f"choose from {', '.join(known)}"


def _wrong_type(name: str, value: object, kinds: Sequence[Kind]) -> Diagnostic:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"of type {type(value).__name__}"
    *words, last = dict.fromkeys(kind.words for kind in kinds)
    wanted = f"{', '.join(words)} or {last}" if words else last
    hints = [f"give {name}={kind.instead(value)}" for kind in kinds if kind.instead(value)]
    own = getattr(value, name, None)
    if own is not None and any(kind.holds(own) for kind in kinds):
        hints = [f"give its member '{name}'"]
    return Diagnostic("E542", f"{name} is {shown}, but takes {wanted}", hint="".join(hints[:1]))


def _wrong_words(name: str, value: object, known: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Yield a problem for every unknown word; a list that is read only once is left alone."""
    if value is None:
        return
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple | set | frozenset):
        return
    for word in cast("Iterable[object]", words):
        if word not in known:
            hint = f"choose from {', '.join(known)}"
            yield Diagnostic("E543", f"{name} has no '{word}'", hint=hint)
