"""The modules of the package, parsed once for all tests of its architecture."""

from __future__ import annotations

import ast
import gc
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2] / "streamopt"
OWN = "streamopt."


@dataclass(frozen=True, slots=True)
class Module:
    """One file: its place in the package, its tree, and what it imports anywhere in it."""

    path: str
    """From the folder of the package on, with slashes."""
    text: str
    tree: ast.Module
    own: frozenset[str]
    """Modules of the package, and names in them, without ``streamopt.``."""
    packages: frozenset[str]
    """Top-level names of other packages."""

    @property
    def name(self) -> str:
        """The dotted name without ``streamopt.``; that of the package itself is ``__init__``."""
        return self.path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")

    @property
    def layer(self) -> str:
        return self.path.split("/", maxsplit=1)[0].removesuffix(".py")


def module_at(path: Path) -> Module:
    text = path.read_text(encoding="utf-8")
    tree = ast.parse(text)
    names = [*_imported(tree)]
    own = frozenset(name.removeprefix(OWN) for name in names if name.startswith(OWN))
    others = frozenset(name.split(".")[0] for name in names if not name.startswith(OWN))
    place = path.relative_to(ROOT) if path.is_relative_to(ROOT) else path
    return Module(place.as_posix(), text, tree, own - {"__version__"}, others)


def _imported(tree: ast.Module) -> Iterator[str]:
    """Yield names of modules; those of the package with what is imported from them."""
    for node in ast.walk(tree):
        match node:
            case ast.ImportFrom(module=str(module), names=names, level=0):
                is_own = f"{module}.".startswith(OWN)
                yield from (f"{module}.{alias.name}" if is_own else module for alias in names)
            case ast.Import(names=names):
                yield from (alias.name for alias in names)
            case _:
                pass


@cache
def modules() -> tuple[Module, ...]:
    """Return all modules; collections of garbage would take twice the time of parsing."""
    gc.disable()
    try:
        return tuple(module_at(path) for path in sorted(ROOT.rglob("*.py")))
    finally:
        gc.freeze()
        gc.enable()


@cache
def arrows() -> dict[str, set[str]]:
    """Return the modules that each module imports: ``a.b`` for ``from a import b`` if it is one."""
    names = {module.name for module in modules()}
    return {
        module.name: {name if name in names else name.rpartition(".")[0] for name in module.own}
        & names - {module.name}
        for module in modules()
    }
