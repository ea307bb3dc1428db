"""Iterations of loops that conditions leave: ranges, and sums that are not negative."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import assert_never

from streamopt.ir.affine import Affine, Iter
from streamopt.ir.expression import Compare, CompareOp, Condition, Logic, LogicOp, as_affine


@dataclass(frozen=True, slots=True)
class Domain:
    """Iterations of loops, narrowed by conditions on iterators, or a set that holds them."""

    ranges: Mapping[str, tuple[int, int]]
    """Lowest and highest value by iterator; empty where the lowest is above the highest."""
    bounds: tuple[Affine, ...] = ()
    """Sums of iterators that are not negative."""
    is_box: bool = True
    """Whether the ranges alone say which iterations these are."""

    @staticmethod
    def of(trip_counts: Mapping[str, int]) -> Domain:
        """Return all iterations of loops."""
        return Domain({name: (0, count - 1) for name, count in trip_counts.items()})

    @property
    def is_empty(self) -> bool:
        """Return whether there are no iterations."""
        return any(low > high for low, high in self.ranges.values())

    def reach(self, subscript: Affine, extent: int) -> tuple[int, int]:
        """Return an interval that holds the values of a subscript; see `Affine.reach`."""
        shift = {n: Affine.iterator(n) + Affine.of(low) for n, (low, _) in self.ranges.items()}
        counts = {name: high - low + 1 for name, (low, high) in self.ranges.items()}
        low, high = subscript.substitute(shift).reach(counts, extent)
        terms, opposite = dict(subscript.terms), dict(subscript.scaled(-1).terms)
        for bound in self.bounds:
            if dict(bound.terms) == terms:
                low = max(low, subscript.constant - bound.constant)
            elif dict(bound.terms) == opposite:
                high = min(high, subscript.constant + bound.constant)
        return low, high

    def under(self, condition: Condition, *, holds: bool = True) -> Domain:
        """Return the iterations for which a condition holds, or those for which it doesn't."""
        match condition:
            case Compare(op, left, right):
                first, second = as_affine(left), as_affine(right)
                if first is None or second is None:
                    return replace(self, is_box=False)
                return self._compared(op if holds else op.opposite, first - second)
            case Logic(op, operands):
                if (op is LogicOp.AND) is holds:
                    domain = self
                    for operand in operands:
                        domain = domain.under(operand, holds=holds)
                    return domain
                return self._hull([self.under(operand, holds=holds) for operand in operands])
            case _:
                assert_never(condition)

    def _compared(self, op: CompareOp, difference: Affine) -> Domain:
        one = Affine.of(1)
        match op:
            case CompareOp.GE:
                return self._not_negative(difference)
            case CompareOp.GT:
                return self._not_negative(difference - one)
            case CompareOp.LE:
                return self._not_negative(difference.scaled(-1))
            case CompareOp.LT:
                return self._not_negative(difference.scaled(-1) - one)
            case CompareOp.EQ:
                return self._not_negative(difference)._not_negative(difference.scaled(-1))
            case CompareOp.NE:
                return replace(self, is_box=False)
            case _:
                assert_never(op)

    def _not_negative(self, value: Affine) -> Domain:
        match value.terms:
            case ():
                empty = dict.fromkeys(self.ranges, (0, -1))
                return self if value.constant >= 0 else replace(self, ranges=empty)
            case ((Iter(name), factor),) if name in self.ranges:
                low, high = self.ranges[name]
                if factor > 0:
                    low = max(low, -(value.constant // factor))
                else:
                    high = min(high, value.constant // -factor)
                return replace(self, ranges={**self.ranges, name: (low, high)})
            case _:
                return replace(self, bounds=(*self.bounds, value), is_box=False)

    def _hull(self, parts: list[Domain]) -> Domain:
        live = [part for part in parts if not part.is_empty]
        if not live:
            return parts[0]
        ranges = {
            name: (
                min(part.ranges[name][0] for part in live),
                max(part.ranges[name][1] for part in live),
            )
            for name in self.ranges
        }
        return Domain(ranges, self.bounds, is_box=False)
