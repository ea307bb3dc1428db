"""Whole numbers that a loop nest counts along with its iterations, as functions of its iterators.

Designs without dividers count digits: a remainder grows by a constant that says which loop moves
on, and what is a divisor or more goes to the next digit::

    rest += (w < 6 ? 2 : c < 3 ? 5 : 0);
    if (rest >= 7) { rest -= 7; digit++; }
    if (digit >= 4) { digit -= 4; }

With ``V`` the sum of all that was added, `rest` is ``V mod 7`` and `digit` is
``floor(V / 7) mod 4``; V is linear in the iterators.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pycparser import c_ast as ast

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Compare, CompareOp, Condition, Index, Literal
from streamopt.ir.program import Loop
from streamopt.published.hls.accesses import Binding, Value
from streamopt.published.hls.loops import assigned, block, walk


@dataclass(slots=True)
class _Updates:
    """The counters of a body."""

    added: dict[str, ast.Node] = field(default_factory=dict[str, ast.Node])
    """By counter what each iteration adds."""
    ends: dict[str, int] = field(default_factory=dict[str, int])
    """By counter the number at which it begins anew."""
    carried: dict[str, str] = field(default_factory=dict[str, str])
    """By counter the one that goes on where it begins anew."""
    others: list[ast.Node] = field(default_factory=list[ast.Node])
    """The items that count nothing."""
    is_last: bool = True
    """Whether the counters go on after all of these."""

    @property
    def names(self) -> set[str]:
        """Return the counters."""
        return {*self.added, *self.ends, *self.carried.values()}


def counters(items: Sequence[ast.Node]) -> dict[str, int]:
    """Return by name where the counters begin that are declared and counted among items."""
    begins: dict[str, int] = {}
    found: dict[str, int] = {}
    for at, item in enumerate(items):
        match item:
            case ast.Decl(name=str(name), type=ast.TypeDecl(), init=init):
                begin = _constant(init)
                begins |= {} if begin is None else {name: begin}
            case ast.For():
                for name in _updates(_body(item), begins.keys()).names:
                    others = (*items[:at], *items[at + 1 :])
                    if not any(_mentions(other, name) for other in others):
                        found[name] = begins[name]
            case _:
                pass
    return found


def counted_digits(
    items: Sequence[ast.Node], tiles: Sequence[Loop], bindings: Mapping[str, Binding]
) -> tuple[Sequence[ast.Node], dict[str, Affine]] | None:
    """Return the items of a body that count nothing, and the values of the counters before them.

    None if it is not known how a counter goes on.

    Parameters
    ----------
    tiles
        The loops of the body's nest, outermost first.
    bindings
        Meanings of names; those of counters are the numbers where they begin.
    """
    begins = {n: v.constant for n, v in bindings.items() if isinstance(v, Affine) and not v.terms}
    updates = _updates(items, begins.keys() - assigned(items)[1])
    digits: dict[str, Affine] = {}
    if updates.names and not updates.is_last:
        return None
    below = {high: low for low, high in updates.carried.items()}
    for name in updates.names - updates.carried.keys():
        names = name, below.get(name, "")
        digits |= _digits(names, updates, begins, _Along(tiles, bindings)) or {}
    return (updates.others, digits) if digits.keys() == updates.names else None


def chosen_digit(
    condition: Condition | None, then: Value, other: Value, trips: Mapping[str, int]
) -> Affine | None:
    """Return ``n >= d ? 1 : 0`` as a quotient and ``n >= d ? n - d : n`` as a remainder.

    None for other choices, and for numbers that may be negative or have a larger quotient.
    """
    match condition:
        case Compare(CompareOp.GE, Index(number), Literal(end)):
            low, high = number.bounds(trips)
            divisor = int(end)
        case _:
            return None
    if low < 0 or high >= 2 * divisor or divisor != end:
        return None
    if (then, other) == (Affine.of(1), Affine()):
        return number.floordiv(divisor)
    is_rest = (then, other) == (number - Affine.of(divisor), number)
    return number.mod(divisor) if is_rest else None


@dataclass(frozen=True, slots=True)
class _Along:
    """The loops that numbers are counted along."""

    tiles: Sequence[Loop]
    bindings: Mapping[str, Binding]

    def steps(self, added: ast.Node | None) -> list[int] | None:
        """Return the numbers added where loops, from the inside out, move on; None if unknown."""
        found: list[int] = []
        for loop in reversed([tile for tile in self.tiles if tile.trip_count > 1]):
            match added:
                case ast.TernaryOp(
                    cond=ast.BinaryOp(op="<", left=ast.ID(name=name), right=end),
                    iftrue=by,
                    iffalse=other,
                ):
                    place, step = self.bindings.get(name), _constant(by)
                    is_it = isinstance(place, Affine) and place.as_iterator() == loop.name
                    if not is_it or step is None or _constant(end) != loop.trip_count - 1:
                        return None
                    found.append(step)
                    added = other
                case _:
                    found.append(0)
        return found if added is None or _constant(added) == 0 else None


def _digits(
    names: tuple[str, str], updates: _Updates, begins: Mapping[str, int], along: _Along
) -> dict[str, Affine] | None:
    """Return the values of a digit and of its remainder, if it has one; None if unknown."""
    digit, rest = names
    divisor = updates.ends[rest] if rest else 1
    modulus = updates.ends.get(digit, 0)
    high, low = (along.steps(updates.added.get(name)) for name in names)
    if high is None or low is None:
        return None
    ends = ((digit, high, modulus), (rest, low, divisor if rest else 0))
    if not all(0 <= n < end for name, by, end in ends if end for n in (begins[name], *by)):
        return None
    total = Affine.of(begins[digit] * divisor + begins.get(rest, 0))
    back = 0
    loops = [tile for tile in along.tiles if tile.trip_count > 1]
    for loop, one, two in zip(reversed(loops), high, low, strict=True):
        by = one * divisor + two + back
        by = by % (divisor * modulus) if modulus else by
        total += Affine.iterator(loop.name).scaled(by)
        back += by * (loop.trip_count - 1)
    value = total.floordiv(divisor)
    digits = {digit: value.mod(modulus) if modulus else value}
    return digits | ({rest: total.mod(divisor)} if rest else {})


def _updates(items: Sequence[ast.Node], names: Collection[str]) -> _Updates:
    """Return how items count variables of some names, in the order of the page's example."""
    found = _Updates()
    for item in items:
        match item:
            case ast.Assignment(op="+=", lvalue=ast.ID(name=name), rvalue=value) if (
                name in names and name not in found.names
            ):
                found.added[name] = value
            case ast.If(iffalse=None) if (over := _over(item, names)) is not None and not (
                {over[0], over[2]} & found.ends.keys()
            ):
                name, end, higher = over
                found.ends[name] = end
                found.carried |= {name: higher} if higher else {}
            case _:
                found.others.append(item)
                found.is_last = found.is_last and not found.names
    return found


def _over(item: ast.If, names: Collection[str]) -> tuple[str, int, str] | None:
    """Return counter, its end, and the counter that goes on there, if that is all that it does."""
    match item.cond, block(item.iftrue):
        case (
            ast.BinaryOp(op=">=", left=ast.ID(name=name), right=end),
            [ast.Assignment(op="-=", lvalue=ast.ID(name=less), rvalue=by), *rest],
        ):
            number = _constant(end)
            if name not in names or less != name or number is None or number != _constant(by):
                return None
        case _:
            return None
    match rest:
        case []:
            return name, number, ""
        case [ast.UnaryOp(op="p++" | "++", expr=ast.ID(name=higher))] if higher in names:
            return name, number, higher
        case _:
            return None


def _body(loop: ast.For) -> Sequence[ast.Node]:
    """Return the items of the innermost loop of a nest."""
    items = block(loop.stmt)
    inner = [item for item in items if isinstance(item, ast.For)]
    rest = [item for item in items if not isinstance(item, ast.Pragma | ast.Decl | ast.For)]
    return _body(inner[0]) if len(inner) == 1 and not rest else items


def _mentions(item: ast.Node, name: str) -> bool:
    return any(isinstance(node, ast.ID) and node.name == name for node in walk(item))


def _constant(node: ast.Node | None) -> int | None:
    match node:
        case ast.Constant(type="int", value=text):
            return int(text) if text.isdecimal() else None
        case ast.UnaryOp(op="-", expr=inner):
            found = _constant(inner)
            return None if found is None else -found
        case _:
            return None
