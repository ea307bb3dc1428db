"""Counters in the place of divisions: quotients and remainders of indices, along the tile loops.

A digit of ``coefficient * iterator + ...`` begins with a constant. From one iteration to the next
the value grows by a constant for each loop that may be the one that moves on, so its remainder
grows by less than a divisor, and one comparison and subtraction bring it back: two additions on
the recurrence, at an interval of 1 (an estimate: no published design counts so). Lanes add their
constants in the same way. Powers of two are shifts and masks.
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass

from streamopt.analysis.digits import Digit, digit_of
from streamopt.codegen.tree import CppStatement, If, Item
from streamopt.ir.affine import Affine, FloorDiv, Iter, Mod


@dataclass(frozen=True, slots=True)
class CountedLoop:
    """A loop with the C++ names of its iterators: ``iterator = tile * unroll + lane``.

    ``tiles`` is 1 for a loop without tile iterator, ``unroll`` is 1 for one without lanes.
    """

    iterator: str
    tile: str
    lane: str
    tiles: int
    unroll: int


class DigitCounters:
    """The counters of one nest, made as they are asked for.

    Parameters
    ----------
    loops
        From the outermost in.
    unique
        From a wished name to a free one of the function.

    Attributes
    ----------
    declared, steps
        Items before the nest, and at the end of each iteration.
    """

    def __init__(self, loops: Sequence[CountedLoop], unique: Callable[[str], str]) -> None:
        self.declared: list[Item] = []
        self._lanes: list[tuple[frozenset[str], CppStatement]] = []
        self.steps: list[Item] = []
        self._loops = loops
        self._unique = unique
        self._known: dict[Digit, Affine] = {}

    def counted(self, value: Affine) -> Affine:
        """Return an index of C++ iterators with counters and shifts for its digits."""
        total = Affine.of(value.constant)
        for atom, factor in value.terms:
            term = Affine(((atom, 1),)) if isinstance(atom, Iter) else self._digit(atom)
            total = total + term.scaled(factor)
        return total

    def lanes(self, inner: Collection[str] = ()) -> tuple[list[Item], list[Item]]:
        """Return the constants of lanes: those of outer lane loops, and of these inner ones too."""
        outside: list[Item] = [s for names, s in self._lanes if names.isdisjoint(inner)]
        return outside, [s for names, s in self._lanes if not names.isdisjoint(inner)]

    def _digit(self, atom: FloorDiv | Mod) -> Affine:
        digit = digit_of(atom)
        if digit is None:
            return Affine(((atom, 1),))
        if digit not in self._known:
            is_of_bits = digit.is_of_bits
            self._known[digit] = _bits(digit) if is_of_bits else self._counter(digit)
        return self._known[digit]

    def _counter(self, digit: Digit) -> Affine:
        factors, divisor, modulus = digit.value.factors, digit.divisor, digit.modulus
        period = divisor * max(1, modulus)
        exact, lanes, by_tile, start = Affine(), Affine(), list[int](), digit.value.constant
        for loop in self._loops:
            by = factors.get(loop.iterator, 0)
            whole = by * loop.unroll if loop.tiles > 1 else 0
            by_tile.append(whole if whole % period else 0)
            if whole % period == 0 and not modulus:
                exact = exact + Affine.iterator(loop.tile).scaled(whole // divisor)
            if by and loop.unroll > 1:
                # a falling lane is counted from its last: what lanes add is never negative
                last = min(0, by * (loop.unroll - 1))
                lanes = lanes + Affine.iterator(loop.lane).scaled(by) - Affine.of(last)
                start += last
        if not any(by_tile):
            rounds = -(min(0, start) // period)
            found = (lanes + Affine.of(start + rounds * period)).floordiv(divisor)
            return exact + (found.mod(modulus) if modulus else found - Affine.of(rounds))
        name = self._unique(_name(digit))
        rest = self._unique(f"{name}_rest") if divisor > 1 else ""
        self._count(by_tile, start, (name, rest), digit)
        if not lanes.terms:
            return exact + Affine.iterator(name)
        most = sum(abs(factors.get(p.iterator, 0)) * (p.unroll - 1) for p in self._loops)
        moved = self._unique(f"{name}_of_lane")
        statements = map(CppStatement, _of_lane(lanes, most, (name, rest, moved), digit))
        self._lanes += ((frozenset(lanes.iterators()), statement) for statement in statements)
        return exact + Affine.iterator(f"{moved}_wrapped" if modulus else moved)

    def _count(
        self, by_tile: Sequence[int], start: int, names: tuple[str, str], digit: Digit
    ) -> None:
        """Declare a digit and its remainder, and move them on at the end of an iteration."""
        (name, rest), (divisor, modulus) = names, (digit.divisor, digit.modulus)
        steps = [*self._steps(by_tile)]
        high = [(start // divisor), *(by // divisor for _, by in steps)]
        first, *moves = [number % modulus for number in high] if modulus else high
        self.declared.append(CppStatement(f"int {name} = {first};"))
        if rest:
            self.declared.append(CppStatement(f"int {rest} = {start % divisor};"))
            choice = _choice([(place, by % divisor) for place, by in steps])
            self.steps.append(CppStatement(f"{rest} += {choice};"))
        choice = _choice([(place, by) for (place, _), by in zip(steps, moves, strict=True)])
        if choice != "0":
            self.steps.append(CppStatement(f"{name} += {choice};"))
        if rest:
            over = (CppStatement(f"{rest} -= {divisor};"), CppStatement(f"{name}++;"))
            self.steps.append(If(f"{rest} >= {divisor}", over))
        if modulus:
            self.steps.append(If(f"{name} >= {modulus}", (CppStatement(f"{name} -= {modulus};"),)))

    def _steps(self, by_tile: Sequence[int]) -> Iterator[tuple[str, int]]:
        """Yield, from the innermost loop out, when it is the one that moves on, and by how much."""
        back = 0
        for loop, by in reversed([*zip(self._loops, by_tile, strict=True)]):
            if loop.tiles > 1:
                yield f"{loop.tile} < {loop.tiles - 1}", by - back
                back += by * (loop.tiles - 1)


def _choice(steps: Sequence[tuple[str, int]]) -> str:
    """Return the number of the first condition that holds; 0 if none does."""
    kept = list(steps)
    while kept and kept[-1][1] == 0:
        kept.pop()
    parts = [f"{condition} ? {by} : " for condition, by in kept]
    return f"({''.join(parts)}0)" if parts else "0"


def _of_lane(lanes: Affine, most: int, names: tuple[str, str, str], digit: Digit) -> Iterator[str]:
    """Yield what adds a lane's constant to a digit and to its remainder."""
    (name, rest, moved), (divisor, modulus) = names, (digit.divisor, digit.modulus)
    low, high = lanes.mod(divisor) if most >= divisor > 1 else lanes, lanes.floordiv(divisor)
    if modulus and most // divisor >= modulus:
        high = high.mod(modulus)
    parts = [name, *([str(high)] if most >= divisor else [])]
    if rest:
        parts.append(f"({rest} + {low} >= {divisor} ? 1 : 0)")
    yield f"const int {moved} = {' + '.join(parts)};"
    if modulus:
        wrapped = f"{moved} >= {modulus} ? {moved} - {modulus} : {moved}"
        yield f"const int {moved}_wrapped = {wrapped};"


def _bits(digit: Digit) -> Affine:
    """Return some bits of a value: a shift and a mask, which round down whatever the sign."""
    value = digit.value
    text = f"{value}" if value.as_iterator() else f"({value})"
    if digit.divisor > 1:
        text = f"({text} >> {digit.divisor.bit_length() - 1})"
    return Affine.iterator(f"({text} & {digit.modulus - 1})" if digit.modulus > 1 else text)


def _name(digit: Digit) -> str:
    parts = ["_".join(digit.value.iterators())]
    parts += [f"div_{digit.divisor}"] * (digit.divisor > 1)
    return "_".join([*parts, *([f"mod_{digit.modulus}"] if digit.modulus else [])])
