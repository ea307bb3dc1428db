"""Indices of a stepped nest in C++: quotients and remainders round down, whatever the sign."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, assert_never

from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod

if TYPE_CHECKING:
    from collections.abc import Mapping

    from streamopt.ir.affine import Atom
    from streamopt.ir.expression import Access
    from streamopt.ir.stepping.steps import StepLoop


@dataclass(frozen=True, slots=True)
class IndexNames:
    """The iterators that are known at a place of the code."""

    values: Mapping[str, Affine]
    """C++ of each, as an expression of C++ names."""
    reach: Mapping[str, tuple[int, int]]
    """Lowest and highest value of each."""

    def named(self, name: str, value: Affine, reach: tuple[int, int]) -> IndexNames:
        """Return these and another iterator."""
        return IndexNames({**self.values, name: value}, {**self.reach, name: reach})

    def text(self, value: Affine) -> str:
        """Return the C++ of an index."""
        return str(self.counted(value))

    def placed(self, access: Access) -> str:
        """Return the subscripts of an element of an array."""
        return "".join(f"[{self.text(s)}]" for s in access.subscripts) or "[0]"

    def counted(self, value: Affine) -> Affine:
        """Return an index as an expression of C++ names."""
        total = Affine.of(value.constant)
        for atom, factor in value.terms:
            total = total + self._atom(atom).scaled(factor)
        return total

    def _atom(self, atom: Atom) -> Affine:
        match atom:
            case Iter(name):
                return self.values[name]
            case FloorDiv(value, divisor):
                inside, low = self.counted(value), self._low(value)
                if not inside.terms:
                    return Affine.of(inside.constant // divisor)
                if divisor & (divisor - 1) == 0:
                    return Affine.iterator(f"({_bracketed(inside)} >> {divisor.bit_length() - 1})")
                rounds = max(0, -(low // divisor))
                moved = (inside + Affine.of(rounds * divisor)).floordiv(divisor)
                return moved - Affine.of(rounds)
            case Mod(value, divisor):
                inside, low = self.counted(value), self._low(value)
                if not inside.terms:
                    return Affine.of(inside.constant % divisor)
                if divisor & (divisor - 1) == 0:
                    return Affine.iterator(f"({_bracketed(inside)} & {divisor - 1})")
                rounds = max(0, -(low // divisor))
                return (inside + Affine.of(rounds * divisor)).mod(divisor)
            case _:
                assert_never(atom)

    def _low(self, value: Affine) -> int:
        return value.interval(self.reach)[0]

    def bounds(self, loop: StepLoop) -> tuple[str, str]:
        """Return the first value of a loop and the one after its last."""
        return (
            _extreme("max", [self.text(bound) for bound in loop.lower]),
            _extreme("min", [self.text(bound) for bound in loop.upper]),
        )


def _bracketed(value: Affine) -> str:
    text = str(value)
    return text if text.isidentifier() else f"({text})"


def _extreme(function: str, texts: list[str]) -> str:
    found = dict.fromkeys(texts)
    text, *others = found
    for other in others:
        text = f"std::{function}<int>({text}, {other})"
    return text
