"""What names mean while a function is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from streamopt.errors import SourceLoc
    from streamopt.frontends.c.values.value import Value
    from streamopt.ir.affine import Affine
    from streamopt.ir.element import ElementType

__all__ = ["Broken", "Counter", "Known", "Scope", "Stored", "Symbol"]


@dataclass(frozen=True, slots=True)
class Known:
    """A name for a value: a constant, a running iterator, an integer that never changes."""

    value: Value
    is_iterator: bool = False


@dataclass(frozen=True, slots=True)
class Counter:
    """A variable that only counts loops, outside of them; it has no value there."""

    element: ElementType


@dataclass(frozen=True, slots=True)
class Stored:
    """A variable of the source, or a part of it.

    Attributes
    ----------
    variable
        Its name in the source.
    prefix
        Subscripts that are fixed already, where it is a part.
    shape
        What remains to be subscripted.
    offset
        What is added to the next subscript, for a pointer into an array.
    is_open
        Whether it is an integer argument without a value.
    is_parameter
        Whether the function that is read gets it from its caller.
    """

    variable: str
    shape: tuple[int, ...]
    element: ElementType
    prefix: tuple[Affine, ...] = ()
    offset: Affine | None = None
    is_const: bool = False
    is_bool: bool = False
    is_open: bool = False
    is_parameter: bool = False


@dataclass(frozen=True, slots=True)
class Broken:
    """A name whose declaration has a problem, which is reported already."""

    loc: SourceLoc | None = None


Symbol: TypeAlias = Known | Counter | Stored | Broken


class Scope:
    """Names by block, innermost last."""

    def __init__(self) -> None:
        self._blocks: list[dict[str, Symbol]] = [{}]

    def enter(self) -> None:
        """Open a block."""
        self._blocks.append({})

    def leave(self) -> None:
        """Close the innermost block."""
        self._blocks.pop()

    def find(self, name: str) -> Symbol | None:
        """Return what a name means, if it is declared."""
        for block in reversed(self._blocks):
            if name in block:
                return block[name]
        return None

    def declare(self, name: str, symbol: Symbol) -> None:
        """Declare a name in the innermost block."""
        self._blocks[-1][name] = symbol

    def names(self) -> list[str]:
        """Return all declared names."""
        return list(dict.fromkeys(name for block in self._blocks for name in block))
