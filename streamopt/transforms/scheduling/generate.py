"""Loops that run every iteration at its time, made by isl.

Before::

    S   domain 0 <= t < 20, 0 <= i < 62     loops w: t + i, i: i

After::

    for (w = 0; w < 81; w++)
      for (i = max(0, w - 19); i < min(62, w + 1); i++)
        S: A[i + 1] = (A[i] + A[i + 2]) * 0.5

No statement appears twice: where loops of several statements differ, conditions tell them apart,
so that a name always means one place.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from streamopt.analysis.polyhedral_text import domain_text
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    CompareOp,
    is_affine_condition,
    substitute,
    substitute_condition,
)
from streamopt.ir.source import Branch, RangeLoop
from streamopt.transforms.scheduling.times import time_length, time_map
from streamopt.transforms.scheduling.tree_expressions import (
    affine_of,
    bounds_of,
    condition_of,
    reach_of,
    within,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.ir.expression import Condition
    from streamopt.ir.source import Item, Source
    from streamopt.transforms.scheduling.timed import TimedProgram, TimedStatement

__all__ = ["Generated", "generated"]


@dataclass(frozen=True, slots=True)
class Generated:
    """A source with loops in the order of times.

    Attributes
    ----------
    iterators
        By (statement, loop): the iterator of the source; loops of one iteration have none.
    """

    source: Source
    iterators: Mapping[tuple[str, str], str]


def generated(program: TimedProgram) -> Generated:
    """Return the loops of a program; statements are labelled with their names."""
    writer = _Writer(program)
    body = tuple(writer.items(_tree(program), {}, ()))
    return Generated(replace(program.source, body=body), writer.iterators)


def _tree(program: TimedProgram) -> Any:
    import islpy as isl

    length = time_length(program)
    times = isl.UnionMap("{ }")
    for at, statement in enumerate(program.statements):
        names = ", ".join(f"c{place}" for place in range(len(statement.instance.loops)))
        domain = isl.Set(f"{{ S{at}[{names}] : {domain_text(statement.instance)} }}")
        times = times.union(time_map(program, at, length).intersect_domain(domain).to_union_map())
    build = isl.AstBuild.from_context(isl.Set("{ : }"))
    entries = ", ".join(f"t{place}" for place in range(length))
    build = build.set_options(isl.UnionMap(f"{{ [{entries}] -> atomic[x] }}"))
    names = isl.IdList.alloc(isl.DEFAULT_CONTEXT, length)
    for place in range(length):
        names = names.add(isl.Id(f"t{place}", context=isl.DEFAULT_CONTEXT))
    return build.set_iterators(names).node_from_schedule_map(times)


@dataclass(slots=True)
class _Writer:
    """Turns one tree into items; used once."""

    program: TimedProgram
    iterators: dict[tuple[str, str], str] = field(default_factory=dict[tuple[str, str], str])
    taken: set[str] = field(default_factory=set[str])
    reach: dict[str, tuple[int, int]] = field(default_factory=dict[str, "tuple[int, int]"])

    def __post_init__(self) -> None:
        self.taken |= {variable.name for variable in self.program.source.variables}

    def items(
        self, node: Any, known: Mapping[str, Affine], open_loops: tuple[tuple[int, str], ...]
    ) -> Iterator[Item]:
        """Yield the items of a node.

        Parameters
        ----------
        known
            By iterator of the tree, what stands for it.
        open_loops
            (level, iterator) of the loops around.
        """
        import islpy as isl

        kinds = isl.ast_node_type
        match node.get_type():
            case kinds.for_:
                yield from self._loop(node, known, open_loops)
            case kinds.block:
                children = node.block_get_children()
                for at in range(children.n_ast_node()):
                    yield from self.items(children.get_ast_node(at), known, open_loops)
            case kinds.if_:
                yield self._branch(node, known, open_loops)
            case kind:
                assert kind == kinds.user
                yield self._statement(node, known, open_loops)

    def _loop(
        self, node: Any, known: Mapping[str, Affine], open_loops: tuple[tuple[int, str], ...]
    ) -> Iterator[Item]:
        name = node.for_get_iterator().get_id().get_name()
        if node.for_is_degenerate():
            inside = {**known, name: affine_of(node.for_get_init(), known)}
            yield from self.items(node.for_get_body(), inside, open_loops)
            return
        assert node.for_get_inc().get_val().to_python() == 1
        level = int(name.removeprefix("t")) // 2
        iterator = self._fresh(node, level)
        low, high, checks = self._bounds(node, Affine.iterator(iterator), known)
        lows, highs = ([bound.interval(self.reach) for bound in ends] for ends in (low, high))
        ends = max(least for least, _ in lows), min(most for _, most in highs) - 1
        self.reach[iterator] = ends[0], max(ends)
        inside = {**known, name: Affine.iterator(iterator)}
        body = tuple(self.items(node.for_get_body(), inside, (*open_loops, (level, iterator))))
        for check in checks:
            body = (Branch(check, body),)
        yield RangeLoop(iterator, low, high, body)

    def _bounds(
        self, node: Any, iterator: Affine, known: Mapping[str, Affine]
    ) -> tuple[tuple[Affine, ...], tuple[Affine, ...], tuple[Condition, ...]]:
        """Return lower bounds, what the iterator stays below, and conditions that remain."""
        import islpy as isl

        checks: list[Condition] = []
        init, condition = node.for_get_init(), node.for_get_cond()
        last = condition.get_op_arg(1)
        is_last = condition.get_op_type() == isl.ast_expr_op_type.le
        low, high = bounds_of(init, known, least=False), bounds_of(last, known, least=True)
        if low is None:
            low = (Affine.of(reach_of(init, known, self.reach)[0]),)
            checks.append(within(iterator, CompareOp.GE, init, known))
        if high is None:
            high = (Affine.of(reach_of(last, known, self.reach)[1]),)
            op = CompareOp.LE if is_last else CompareOp.LT
            checks.append(within(iterator, op, last, known))
        return low, tuple(bound + Affine.of(int(is_last)) for bound in high), tuple(checks)

    def _fresh(self, node: Any, level: int) -> str:
        """Return a name for a loop: that of the first statement inside."""
        name = self.program.statements[_first_statement(node)].loops[level].name
        fresh, number = name, 2
        while fresh in self.taken:
            fresh, number = f"{name}_{number}", number + 1
        self.taken.add(fresh)
        return fresh

    def _branch(
        self, node: Any, known: Mapping[str, Affine], open_loops: tuple[tuple[int, str], ...]
    ) -> Branch:
        then = tuple(self.items(node.if_get_then(), known, open_loops))
        otherwise: tuple[Item, ...] = ()
        if node.if_has_else():
            otherwise = tuple(self.items(node.if_get_else(), known, open_loops))
        return Branch(condition_of(node.if_get_cond(), known), then, otherwise)

    def _statement(
        self, node: Any, known: Mapping[str, Affine], open_loops: tuple[tuple[int, str], ...]
    ) -> Item:
        call = node.user_get_expr()
        statement = self.program.statements[_number(call)]
        places = (
            affine_of(call.get_op_arg(at), known) for at in range(1, call.get_op_n_arg())
        )
        moved = dict(zip(statement.instance.iterators, places, strict=True))
        for level, iterator in open_loops:
            self.iterators[statement.name, statement.loops[level].name] = iterator
        return _placed(statement, moved)


def _placed(statement: TimedStatement, moved: Mapping[str, Affine]) -> Item:
    """Return a statement over the new iterators, inside of its conditions on data."""
    instance = statement.instance
    assign = replace(
        instance.assign,
        target=instance.target.substitute(moved),
        value=substitute(instance.assign.value, moved),
        label=statement.name,
    )
    item: Item = assign
    guards: list[Condition] = [g for g in instance.guards if not is_affine_condition(g)]
    for guard in reversed(guards):
        item = Branch(substitute_condition(guard, moved), (item,), loc=instance.assign.loc)
    return item


def _number(call: Any) -> int:
    return int(call.get_op_arg(0).get_id().get_name().removeprefix("S"))


def _first_statement(node: Any) -> int:
    """Return the number of the first statement inside a node."""
    import islpy as isl

    kinds = isl.ast_node_type
    while node.get_type() != kinds.user:
        match node.get_type():
            case kinds.for_:
                node = node.for_get_body()
            case kinds.block:
                node = node.block_get_children().get_ast_node(0)
            case _:
                node = node.if_get_then()
    return _number(node.user_get_expr())
