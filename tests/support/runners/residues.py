"""Sequential nodes run on residues modulo a prime: sums are the same in any order, bit for bit.

Quotients exist but by 0, square roots and the like are arbitrary functions, comparisons those of
the integers. So two orders of a program agree if and only if they compute the same terms.
"""

from __future__ import annotations

import random
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from streamopt.ir import expression as ir
from streamopt.ir.affine import FloorDiv, Iter
from streamopt.ir.operators import BinaryOp, CompareOp, Function
from streamopt.ir.stepping.steps import Repeat

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from streamopt.ir.affine import Affine
    from streamopt.ir.graph import SequentialNode
    from streamopt.ir.program import Array, Statement
    from streamopt.ir.stepping.steps import Phase, StepItem, StepLoop, Steps

PRIME = 2_147_483_647
State: TypeAlias = "dict[str, dict[tuple[int, ...], int]]"
Step: TypeAlias = "Callable[[State, dict[str, int]], None]"


def initial(arrays: Mapping[str, Array], seed: int) -> State:
    """Return arrays of random residues."""
    rng = random.Random(seed)
    return {
        name: {
            place: rng.randrange(1, PRIME)
            for place in product(*(range(extent) for extent in array.shape))
        }
        for name, array in arrays.items()
    }


def run_node(node: SequentialNode, state: State) -> None:
    """Run a node in the order of its loops."""
    steps = [_compiled(statement) for statement in node.statements]
    for point in product(*(range(loop.trip_count) for loop in node.loops)):
        at = dict(zip((loop.name for loop in node.loops), point, strict=True))
        for step in steps:
            step(state, at)


def run_steps(steps: Steps, state: State, rng: random.Random) -> None:
    """Run an order of a node, the iterations of each visit of a phase shuffled."""
    compiled = {phase.name: [_compiled(s) for s in phase.statements] for phase in steps.phases}
    _run(steps.items, {}, state, rng, compiled)


def _run(
    items: Sequence[StepItem],
    at: dict[str, int],
    state: State,
    rng: random.Random,
    compiled: Mapping[str, Sequence[Step]],
) -> None:
    for item in items:
        if isinstance(item, Repeat):
            for value in _values(item.loop, at):
                _run(item.items, {**at, item.loop.name: value}, state, rng, compiled)
            continue
        points = [*_points(item, item.loops, at)]
        rng.shuffle(points)
        for point in points:
            for step in compiled[item.name]:
                step(state, point)


def _values(loop: StepLoop, at: Mapping[str, int]) -> range:
    low = max(bound.evaluate(at) for bound in loop.lower)
    end = min(bound.evaluate(at) for bound in loop.upper)
    assert low >= end or (loop.least <= low and end <= loop.end), f"{loop} is outside its hull"
    return range(low, max(low, end))


def _points(
    phase: Phase, loops: Sequence[StepLoop], at: dict[str, int]
) -> Iterator[dict[str, int]]:
    if not loops:
        yield at
        return
    for value in _values(loops[0], at):
        yield from _points(phase, loops[1:], {**at, loops[0].name: value})


def _compiled(statement: Statement) -> Step:
    target = statement.target
    places = ", ".join(map(_index, target.subscripts))
    lines = [f"s[{target.array!r}][({places}{',' if places else ''})] = {_text(statement.value)}"]
    if statement.guard is not None:
        lines = [f"if {_text(statement.guard)}:", f"  {lines[0]}"]
    body = "\n".join(f"  {line}" for line in lines)
    known = {"P": PRIME, "inv": _inverse, "hashed": _hashed}
    exec(f"def step(s, at):\n{body}\n", known)
    return known["step"]  # pyright: ignore[reportReturnType]


def _inverse(value: int) -> int:
    return pow(value % PRIME, PRIME - 2, PRIME)


def _hashed(name: str, *values: int) -> int:
    total = sum(map(ord, name))
    for value in values:
        total = (total * 1_000_003 + value * value + 7) % PRIME
    return total


def _index(value: Affine) -> str:
    parts = [str(value.constant)]
    for atom, factor in value.terms:
        if isinstance(atom, Iter):
            text = f"at[{atom.name!r}]"
        else:
            sign = "//" if isinstance(atom, FloorDiv) else "%"
            text = f"(({_index(atom.value)}) {sign} {atom.divisor})"
        parts.append(f"{factor} * {text}")
    return " + ".join(parts)


def _text(part: ir.Expression) -> str:
    match part:
        case ir.Literal(value):
            return str(int(value) if float(value).is_integer() else int(value * 1_000_003) % PRIME)
        case ir.Read(access):
            places = ", ".join(map(_index, access.subscripts))
            return f"s[{access.array!r}][({places}{',' if places else ''})]"
        case ir.Index(value):
            return f"({_index(value)})"
        case ir.Cast(_, operand):
            return _text(operand)
        case ir.Binary(op, left, right):
            return _binary(op, _text(left), _text(right))
        case ir.Call(function, arguments):
            return _called(function, ", ".join(map(_text, arguments)))
        case ir.Compare() | ir.Logic() | ir.Select():
            return _truth(part)


def _truth(part: ir.Compare | ir.Logic | ir.Select) -> str:
    match part:
        case ir.Compare(op, left, right):
            sign = "==" if op is CompareOp.EQ else op.value
            return f"(({_text(left)}) {sign} ({_text(right)}))"
        case ir.Logic(op, operands):
            joint = " and " if op is ir.LogicOp.AND else " or "
            return f"({joint.join(map(_text, operands))})"
        case ir.Select(condition, then, otherwise):
            return f"({_text(then)} if {_text(condition)} else {_text(otherwise)})"


def _called(function: Function, arguments: str) -> str:
    if function in (Function.MAX, Function.MIN):
        return f"{function.value}({arguments})"
    return f"hashed({function.value!r}, {arguments})"


def _binary(op: BinaryOp, left: str, right: str) -> str:
    if op is BinaryOp.DIV:
        return f"(({left}) * inv({right}) % P)"
    if op in (BinaryOp.ADD, BinaryOp.SUB, BinaryOp.MUL):
        return f"((({left}) {op.value} ({right})) % P)"
    return f"hashed({op.value!r}, {left}, {right})"
