"""Whether a plan has each loop of a node once, with an unroll factor that its trip count allows."""

from collections.abc import Iterator, Sequence

from streamopt.errors import Diagnostic
from streamopt.ir.graph import Node
from streamopt.ir.schedule import NodePlan


def has_all_factors(plan: NodePlan, loops: Sequence[str]) -> bool:
    """Return whether a plan has one unroll factor for each loop."""
    return sorted(name for name, _ in plan.unroll) == sorted(loops)


def loop_problems(node: Node, plan: NodePlan, loops: Sequence[str]) -> Iterator[Diagnostic]:
    """Yield whether a plan's order and unroll factors are of other loops (E303, E304)."""
    names = ", ".join(loops)
    if sorted(plan.order) != sorted(loops):
        message = f"order {', '.join(plan.order)} of node '{node.name}' is not a permutation of "
        yield Diagnostic("E303", f"{message}its loops {names}", node.loc)
    if not has_all_factors(plan, loops):
        listed = ", ".join(name for name, _ in plan.unroll)
        message = f"node '{node.name}' has unroll factors for {listed or 'no loop'}; its loops "
        yield Diagnostic("E304", f"{message}are {names}", node.loc)


def factor_problems(node: Node, plan: NodePlan, loop: str, trip_count: int) -> Iterator[Diagnostic]:
    """Yield whether an unroll factor is not from 1 to a trip count (E304)."""
    factor = plan.factors[loop]
    if not 1 <= factor <= trip_count:
        message = f"unroll factor {factor} of loop {loop} in node '{node.name}' is not "
        message += f"from 1 to its trip count {trip_count}"
        yield Diagnostic("E304", message, node.loc)
