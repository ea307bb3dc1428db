"""The statements of a source, each with what is around it: loops, conditions, place in the text.

Before::

    for i in 0 .. 8:
        s = 0
        for j in 0 .. i:
            if j > 2: s = s + A[i][j]

After::

    s = 0                loops i      position (0, 0)
    s = s + A[i][j]      loops i, j   position (0, 1, 0)   guards j > 2
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from streamopt.ir import expression as ir
from streamopt.ir.affine import Affine, Iter
from streamopt.ir.source import Assign, Branch, Item, RangeLoop
from streamopt.ir.text import isl_affine, isl_condition

Hull = tuple[int, int]
"""Lowest value of an iterator, and the value after its highest, over all iterations."""


@dataclass(frozen=True, slots=True)
class StatementInstance:
    """A statement at its place."""

    assign: Assign
    loops: tuple[RangeLoop, ...]
    """Outermost first."""
    position: tuple[int, ...]
    """Place among its siblings at every level; one more than there are loops."""
    guards: tuple[ir.Condition, ...] = ()
    """Conditions of the branches around it, outermost first."""

    def __hash__(self) -> int:
        """Return a number of its place and target alone: its loops hold all that is in them."""
        return hash((self.position, self.assign.target))

    @property
    def target(self) -> ir.Access:
        """Return the access that the statement writes."""
        return self.assign.target

    @property
    def reads(self) -> tuple[ir.Access, ...]:
        """Return every read in program order, repeated ones too: guards first, then the value."""
        expressions: list[ir.Expression] = [*self.guards, self.assign.value]
        return tuple(p.access for e in expressions for p in ir.walk(e) if isinstance(p, ir.Read))

    @property
    def conditional_reads(self) -> tuple[tuple[ir.Access, StatementInstance], ...]:
        """Return every read of `reads`, with the statement guarded by when it is evaluated."""
        return tuple(
            (access, replace(self, guards=(*self.guards, *under)) if under else self)
            for expression in (*self.guards, self.assign.value)
            for access, under in ir.conditional_reads(expression)
        )

    @property
    def iterators(self) -> tuple[str, ...]:
        """Return the iterators of its loops, outermost first."""
        return tuple(loop.iterator for loop in self.loops)


def instances(body: Sequence[Item]) -> tuple[StatementInstance, ...]:
    """Return the statements of a body in program order."""
    return tuple(_walk(body, (), (), ()))


def _walk(
    items: Sequence[Item],
    loops: tuple[RangeLoop, ...],
    position: tuple[int, ...],
    guards: tuple[ir.Condition, ...],
) -> Iterator[StatementInstance]:
    for place, (inner, conditions) in enumerate(_flattened(items, guards)):
        match inner:
            case Assign():
                yield StatementInstance(inner, loops, (*position, place), conditions)
            case RangeLoop():
                yield from _walk(inner.body, (*loops, inner), (*position, place), conditions)


def _flattened(
    items: Sequence[Item], guards: tuple[ir.Condition, ...]
) -> Iterator[tuple[Assign | RangeLoop, tuple[ir.Condition, ...]]]:
    """Yield loops and statements with the conditions of the branches around them."""
    for item in items:
        match item:
            case Branch(condition, then, otherwise):
                yield from _flattened(then, (*guards, *ir.conjuncts(condition)))
                if otherwise:
                    yield from _flattened(
                        otherwise, (*guards, *ir.conjuncts(ir.negated(condition)))
                    )
            case _:
                yield item, guards


def hull_of(loops: Sequence[RangeLoop]) -> dict[str, Hull]:
    """Return constant bounds of every iterator, from the outermost loop in.

    Exact for bounds that are linear in iterators with constant bounds, else not too small.
    """
    known: dict[str, Hull] = {}
    for loop in loops:
        low = max(_reach(bound, known)[0] for bound in loop.lower)
        high = min(_reach(bound, known)[1] for bound in loop.upper)
        known[loop.iterator] = (low, max(low, high))
    return known


def _reach(value: Affine, known: dict[str, Hull]) -> tuple[int, int]:
    return value.interval({name: (low, high - 1) for name, (low, high) in known.items()})


def loops_over(iterators: Sequence[str], shape: Sequence[int]) -> tuple[RangeLoop, ...]:
    """Return loops from 0 over the places along each dimension, with nothing inside."""
    return tuple(
        RangeLoop(iterator, (Affine(),), (Affine.of(extent),), ())
        for iterator, extent in zip(iterators, shape, strict=True)
    )


def read_at_end(
    array: str, shape: Sequence[int], statements: Sequence[StatementInstance]
) -> StatementInstance:
    """Return a statement that reads all elements of an array once others have run."""
    names = [f"{array}_end{at}" for at in range(len(shape))]
    last = max(instance.position[0] for instance in statements) + 1
    element = ir.Access(array, tuple(map(Affine.iterator, names)))
    assign = Assign(ir.Access(f"{array}_end", ()), ir.Read(element))
    return StatementInstance(assign, loops_over(names, shape), (last, *[0] * len(shape)))


def bound_conditions(loop: RangeLoop) -> Iterator[ir.Condition]:
    """Yield that the iterator is inside the bounds of its loop."""
    iterator = ir.Index(Affine.iterator(loop.iterator))
    for bound in loop.lower:
        yield ir.Compare(ir.CompareOp.LE, ir.Index(bound), iterator)
    for bound in loop.upper:
        yield ir.Compare(ir.CompareOp.LT, iterator, ir.Index(bound))


def is_certain(instance: StatementInstance) -> bool:
    """Return whether no condition around an instance depends on data."""
    return all(map(ir.is_affine_condition, instance.guards))


def domain_text(instance: StatementInstance) -> str:
    """Return the constraints on the iterators ``c0, c1, ...`` of an instance."""
    names = _names(instance)
    conditions = [c for loop in instance.loops for c in bound_conditions(loop)]
    conditions += [guard for guard in instance.guards if ir.is_affine_condition(guard)]
    return " and ".join(isl_condition(c, names) for c in conditions) or "true"


def access_text(event: str, instance: StatementInstance, access: ir.Access, level: int = 0) -> str:
    """Return the relation from the iterations of an event to the array elements it touches.

    The iterators of as many outer loops as level tells stand behind the subscripts.
    """
    names = _names(instance)
    tuple_text = ", ".join(names.values())
    places = [isl_affine(s, names) for s in access.subscripts]
    subscripts = ", ".join([*places, *[*names.values()][:level]])
    head = f"{event}[{tuple_text}] -> A_{access.array}[{subscripts}]"
    return f"{head} : {domain_text(instance)}"


def iterations_of(instance: StatementInstance, name: str = "") -> Any:
    """Return the isl set of the iterations of an instance, but for its conditions on data."""
    import islpy as isl

    names = ", ".join(_names(instance).values())
    return isl.Set(f"{{ {name}[{names}] : {domain_text(instance)} }}")


def elements_at(event: str, instance: StatementInstance, access: ir.Access) -> Any:
    """Return the isl relation from the iterations of an event to the array elements it touches."""
    import islpy as isl

    return isl.Map(f"{{ {access_text(event, instance, access)} }}")


def all_elements(array: str, shape: Sequence[int]) -> Any:
    """Return the isl set of the elements of an array."""
    import islpy as isl

    names = [f"d{at}" for at in range(len(shape))]
    inside = " and ".join(f"0 <= {n} < {e}" for n, e in zip(names, shape, strict=True)) or "true"
    return isl.Set(f"{{ A_{array}[{', '.join(names)}] : {inside} }}")


def schedule_text(event: str, instance: StatementInstance, length: int, phase: int) -> str:
    """Return when the iterations of an event happen: positions and iterators by turns.

    Parameters
    ----------
    length
        Of all schedules; above twice the depth of the deepest instance by 2.
    phase
        0 for the reads of a statement, 1 for its write.
    """
    names = _names(instance)
    times: list[str] = []
    for place, name in zip(instance.position, [*names.values(), ""], strict=True):
        times += [str(place), *([name] if name else [])]
    times += ["0"] * (length - 1 - len(times)) + [str(phase)]
    return f"{event}[{', '.join(names.values())}] -> [{', '.join(times)}]"


def _names(instance: StatementInstance) -> dict[str, str]:
    return {iterator: f"c{at}" for at, iterator in enumerate(instance.iterators)}


def is_inside(
    access: ir.Access,
    trip_counts: Mapping[str, int],
    conditions: Sequence[ir.Condition],
    shape: Sequence[int],
) -> bool:
    """Return whether every element that an access touches where all conditions hold exists."""
    suspects: list[tuple[int, int]] = []
    for dimension, (subscript, extent) in enumerate(zip(access.subscripts, shape, strict=True)):
        low, high = subscript.bounds(trip_counts)
        if low < 0 or high >= extent:
            linear = all(isinstance(atom, Iter) for atom, _ in subscript.terms)
            if linear and not conditions:
                return False
            suspects.append((dimension, extent))
    if not suspects:
        return True
    import islpy as isl

    names = {name: f"c{at}" for at, name in enumerate(trip_counts)}
    where = [f"0 <= {names[name]} < {trip}" for name, trip in trip_counts.items()]
    where += [isl_condition(condition, names) for condition in conditions]
    texts = ((isl_affine(access.subscripts[d], names), extent) for d, extent in suspects)
    outside = " or ".join(f"{text} < 0 or {text} >= {extent}" for text, extent in texts)
    domain = f"{{ [{', '.join(names.values())}] : {' and '.join([*where, f'({outside})'])} }}"
    return bool(isl.Set(domain).is_empty())


def may_run(instance: StatementInstance) -> bool:
    """Return whether a statement runs in some iteration, if the conditions on data allow it."""
    if not instance.loops and not instance.guards:
        return True
    return not iterations_of(instance).is_empty()
