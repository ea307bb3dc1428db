"""One statement's iterations in the order of its loops, as isl scans them ([1]).

Expressions of isl's syntax trees become affine expressions, bounds and conditions.

[1] Grosser, Verdoolaege and Cohen, Polyhedral AST generation is more than scanning polyhedra,
    TOPLAS 37, 2015.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from streamopt.analysis.instances import domain_text
from streamopt.ir.affine import Affine
from streamopt.ir.expression import (
    Compare,
    CompareOp,
    Condition,
    Index,
    Literal,
    Logic,
    LogicOp,
    negated,
)
from streamopt.ir.text import isl_affine
from streamopt.transforms.scheduling.timed import TimedStatement


class TreeChoiceError(Exception):
    """An expression of a tree chooses between values."""


def affine_of(expression: Any, known: Mapping[str, Affine]) -> Affine:
    """Return an integer expression as an affine one.

    Parameters
    ----------
    known
        What stands for each iterator of the tree.

    Raises
    ------
    TreeChoiceError
        If it is none.
    """
    import islpy as isl

    kinds, ops = isl.ast_expr_type, isl.ast_expr_op_type
    match expression.get_type():
        case kinds.int:
            return Affine.of(expression.get_val().to_python())
        case kinds.id:
            return known[expression.get_id().get_name()]
        case _:
            pass
    op = expression.get_op_type()
    if op in (ops.min, ops.max, ops.select, ops.cond):
        raise TreeChoiceError
    left, *others = _arguments(expression)
    first = affine_of(left, known)
    if op == ops.minus:
        return first.scaled(-1)
    second = affine_of(others[0], known)
    if op == ops.add:
        return first + second
    if op == ops.sub:
        return first - second
    if op == ops.mul:
        plain, scaled = (first, second) if not first.terms else (second, first)
        assert not plain.terms
        return scaled.scaled(plain.constant)
    assert not second.terms
    # Where isl knows that nothing is negative or remains, its operators are those of C.
    if op in (ops.div, ops.pdiv_q, ops.fdiv_q):
        return first.floordiv(second.constant)
    assert op in (ops.pdiv_r, ops.zdiv_r), op
    return first.mod(second.constant)


def bounds_of(
    expression: Any, known: Mapping[str, Affine], *, least: bool
) -> tuple[Affine, ...] | None:
    """Return the operands of a minimum (``least``) or maximum, or the expression alone.

    None where there are others inside: a bound that depends on a condition.
    """
    import islpy as isl

    ops = isl.ast_expr_op_type
    wanted, other = (ops.min, ops.max) if least else (ops.max, ops.min)
    op = expression.get_op_type() if expression.get_type() == isl.ast_expr_type.op else None
    if op == wanted:
        found = [bounds_of(part, known, least=least) for part in _arguments(expression)]
        parts = [part for part in found if part is not None]
        if len(parts) < len(found):
            return None
        return tuple(dict.fromkeys(bound for part in parts for bound in part))
    if op in (other, ops.select, ops.cond):
        return None
    return (affine_of(expression, known),)


def within(side: Affine, op: CompareOp, bound: Any, known: Mapping[str, Affine]) -> Condition:
    """Return ``side op bound`` where the bound has minima, maxima and choices inside.

    Parameters
    ----------
    op
        ``<=``, ``<`` or ``>=``.
    """
    import islpy as isl

    ops = isl.ast_expr_op_type
    kind = bound.get_op_type() if bound.get_type() == isl.ast_expr_type.op else None
    if kind in (ops.select, ops.cond):
        choice, *ways = _arguments(bound)
        condition = condition_of(choice, known)
        then, otherwise = (within(side, op, way, known) for way in ways)
        taken = Logic(LogicOp.AND, (condition, then))
        return Logic(LogicOp.OR, (taken, Logic(LogicOp.AND, (negated(condition), otherwise))))
    if kind in (ops.min, ops.max):
        parts = tuple(within(side, op, part, known) for part in _arguments(bound))
        is_all = (kind == ops.min) == (op is not CompareOp.GE)
        return Logic(LogicOp.AND if is_all else LogicOp.OR, parts)
    return Compare(op, Index(side), Index(affine_of(bound, known)))


def reach_of(
    bound: Any, known: Mapping[str, Affine], reach: Mapping[str, tuple[int, int]]
) -> tuple[int, int]:
    """Return values between which a bound lies, where iterators are between two values each."""
    import islpy as isl

    ops = isl.ast_expr_op_type
    kind = bound.get_op_type() if bound.get_type() == isl.ast_expr_type.op else None
    if kind not in (ops.select, ops.cond, ops.min, ops.max):
        return affine_of(bound, known).interval(reach)
    parts = _arguments(bound)[1 if kind in (ops.select, ops.cond) else 0 :]
    ends = [reach_of(part, known, reach) for part in parts]
    return min(low for low, _ in ends), max(high for _, high in ends)


def condition_of(expression: Any, known: Mapping[str, Affine]) -> Condition:
    """Return a condition of the tree."""
    import islpy as isl

    ops: Any = isl.ast_expr_op_type
    joints = {
        ops.and_: LogicOp.AND,
        ops.and_then: LogicOp.AND,
        ops.or_: LogicOp.OR,
        ops.or_else: LogicOp.OR,
    }
    comparisons = {
        ops.eq: CompareOp.EQ,
        ops.le: CompareOp.LE,
        ops.lt: CompareOp.LT,
        ops.ge: CompareOp.GE,
        ops.gt: CompareOp.GT,
    }
    op = expression.get_op_type()
    if op in joints:
        parts = tuple(condition_of(part, known) for part in _arguments(expression))
        return Logic(joints[op], parts)
    left, right = (Index(affine_of(part, known)) for part in _arguments(expression))
    return Compare(comparisons[op], left, right)


def _arguments(expression: Any) -> tuple[Any, ...]:
    return tuple(expression.get_op_arg(at) for at in range(expression.get_op_n_arg()))


@dataclass(frozen=True, slots=True)
class Span:
    """The values of a loop: bounds, the constant ones that hold them, and what else must hold."""

    lower: tuple[Affine, ...]
    upper: tuple[Affine, ...]
    reach: tuple[int, int]
    checks: tuple[Condition, ...] = ()


@dataclass(frozen=True, slots=True)
class Scan:
    """The part of isl's tree of a statement that is left inside of some loops."""

    statement: TimedStatement
    node: Any
    known: Mapping[str, Affine]
    """By iterator of the tree, what stands for it."""
    guards: tuple[Condition, ...] = ()
    """Conditions around the statement so far."""

    def entered(self, level: int) -> Scan:
        """Return the scan inside of conditions, and of loops of one iteration outside a level."""
        import islpy as isl

        kinds: Any = isl.ast_node_type
        node, guards, known = self.node, self.guards, self.known
        while True:
            match node.get_type():
                case kinds.if_:
                    assert not node.if_has_else()
                    guards = (*guards, condition_of(node.if_get_cond(), known))
                    node = node.if_get_then()
                case kinds.for_ if _level(node) <= level and _is_single(node, known):
                    name = node.for_get_iterator().get_id().get_name()
                    known = {**known, name: affine_of(node.for_get_init(), known)}
                    node = node.for_get_body()
                case _:
                    return replace(self, node=node, guards=guards, known=known)

    def has_loop(self, level: int) -> bool:
        """Return whether the statement runs in several iterations of a loop."""
        import islpy as isl

        kinds: Any = isl.ast_node_type
        return bool(self.node.get_type() == kinds.for_) and _level(self.node) == level

    def single(self, level: int) -> Affine | None:
        """Return the number of a loop's one iteration by the loops outside, None if not known."""
        import islpy as isl

        if f"t{level}" in self.known:
            return self.known[f"t{level}"]
        kinds: Any = isl.ast_node_type
        if self.node.get_type() != kinds.user:
            return None
        return self.statement.loops[level].value.substitute(self.arguments())

    def span(self, iterator: str, reach: Mapping[str, tuple[int, int]]) -> Span:
        """Return the values of a loop.

        Parameters
        ----------
        iterator
            What it is called.
        reach
            Between which values the iterators around it are.
        """
        import islpy as isl

        node, known, place = self.node, self.known, Affine.iterator(iterator)
        first = last = node.for_get_init()
        step, is_last = 1, True
        if not node.for_is_degenerate():
            step, condition = node.for_get_inc().get_val().to_python(), node.for_get_cond()
            last = condition.get_op_arg(1)
            is_last = condition.get_op_type() == isl.ast_expr_op_type.le
        low, high = bounds_of(first, known, least=False), bounds_of(last, known, least=True)
        checks: list[Condition] = []
        if low is None:
            low = (Affine.of(reach_of(first, known, reach)[0]),)
            checks.append(within(place, CompareOp.GE, first, known))
        if high is None:
            high = (Affine.of(reach_of(last, known, reach)[1]),)
            checks.append(within(place, CompareOp.LE if is_last else CompareOp.LT, last, known))
        if step != 1:  # isl aligns all lower bounds with the step
            offset = Index((place - low[0]).mod(step))
            checks.append(Compare(CompareOp.EQ, offset, Literal(0.0)))
        high = tuple(bound + Affine.of(int(is_last)) for bound in high)
        least = max(bound.interval(reach)[0] for bound in low)
        most = min(bound.interval(reach)[1] for bound in high) - 1
        return Span(low, high, (least, max(least, most)), tuple(checks))

    def inside(self, level: int, iterator: str) -> Scan:
        """Return the scan of the body of a loop."""
        known = {**self.known, f"t{level}": Affine.iterator(iterator)}
        return replace(self, node=self.node.for_get_body(), known=known)

    def arguments(self) -> dict[str, Affine]:
        """Return the iterators of the source by those of the new loops."""
        call = self.node.user_get_expr()
        count = call.get_op_n_arg()
        places = (affine_of(call.get_op_arg(at), self.known) for at in range(1, count))
        return dict(zip(self.statement.instance.iterators, places, strict=True))


def scanned(statement: TimedStatement) -> Scan:
    """Return the scan of all iterations of a statement."""
    import islpy as isl

    iterators = statement.instance.iterators
    names = {name: f"c{at}" for at, name in enumerate(iterators)}
    times = ", ".join(isl_affine(loop.value, names) for loop in statement.loops)
    domain = f"S[{', '.join(names.values())}]"
    schedule = isl.Map(f"{{ {domain} -> [{times}] : {domain_text(statement.instance)} }}")
    # a loop of every second value stays one of values: other statements may be in it with all
    isl.DEFAULT_CONTEXT.set_ast_build_scale_strides(0)
    build = isl.AstBuild.from_context(isl.Set("{ : }"))
    loops = [f"t{level}" for level in range(len(statement.loops))]
    if loops:
        options = isl.UnionMap(f"{{ [{', '.join(loops)}] -> atomic[x] }}")
        build = build.set_options(options)
    ids = isl.IdList.alloc(isl.DEFAULT_CONTEXT, len(loops))
    for name in loops:
        ids = ids.add(isl.Id(name, context=isl.DEFAULT_CONTEXT))
    node = build.set_iterators(ids).node_from_schedule_map(schedule.to_union_map())
    return Scan(statement, node, {})


def _is_single(node: Any, known: Mapping[str, Affine]) -> bool:
    """Return whether a loop has one iteration, whose number is an affine expression."""
    if not node.for_is_degenerate():
        return False
    try:
        affine_of(node.for_get_init(), known)
    except TreeChoiceError:
        return False
    return True


def _level(node: Any) -> int:
    return int(node.for_get_iterator().get_id().get_name().removeprefix("t"))
