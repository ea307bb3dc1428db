"""All warnings of a solution, the most important first."""

from collections.abc import Iterator

from streamopt.errors import DesignWarning
from streamopt.evaluation.design import Evaluation
from streamopt.ir.graph import Graph, SequentialNode
from streamopt.sim import Trace
from streamopt.solvers.result import Proof
from streamopt.strategies.solution import Solution
from streamopt.transforms.apply import planned_graph
from streamopt.warnings.amounts import amount_warnings, bank_warnings
from streamopt.warnings.cycles import interval_warnings, latency_warnings


def solution_warnings(
    solution: Solution, design: Evaluation, frames: Trace | None = None
) -> tuple[DesignWarning, ...]:
    """Return the warnings of a solution, the most important first.

    W01, W02
        Model and simulation differ by more than 5 % in the latency, or in the distance of frames.
    W03
        A solver says that the schedule is optimal, and nothing certifies it.
    W04, W05, W10
        More of a resource than the device has; than the vendor advises; than was ever routed.
    W06, W07
        A sum that puts the clock at risk; a node whose loops carry dependences.
    W08, W09
        An argument in more banks than any report has; no vendor tool has built it.

    Parameters
    ----------
    frames
        The simulation of several frames; None where nobody asks for their distance.
    """
    graph = planned_graph(solution.problem.graph, solution.schedule)
    return (
        *latency_warnings(solution, design),
        *interval_warnings(solution, design, frames),
        *_claim(solution),
        *design_warnings(graph, design),
    )


def design_warnings(graph: Graph | None, design: Evaluation) -> tuple[DesignWarning, ...]:
    """Return the warnings of a design, whatever made it.

    Parameters
    ----------
    graph
        Of the design, after the rewrites of its schedule; None of a published design, which a tool
        has built.
    """
    words = "no vendor tool has built this design; `streamopt check` compares when one does"
    return (
        *amount_warnings(design.resources.total, design.target),
        *_clock(graph, design),
        *(_sequential(graph) if graph is not None else ()),
        *bank_warnings(design.network),
        *((DesignWarning("W09", words),) if graph is not None else ()),
    )


def _claim(solution: Solution) -> Iterator[DesignWarning]:
    if solution.proof is Proof.CLAIMED:
        solver = f"{solution.solver} {solution.solver_version}"
        words = f"{solver} says that nothing is better, which no certificate confirms"
        remedy = "--solver search proves in integers; it is the default"
        yield DesignWarning("W03", words, remedy=remedy)


def _clock(graph: Graph | None, design: Evaluation) -> Iterator[DesignWarning]:
    places = {node.name: node.loc for node in (() if graph is None else graph.nodes)}
    for risk in design.clock_risks:
        place = places.get(risk.pipeline)
        words = f"clock risk: {risk.problem}"
        yield DesignWarning("W06", words, remedy=risk.remedy, place=place)


def _sequential(graph: Graph) -> Iterator[DesignWarning]:
    for node in graph.nodes:
        if isinstance(node, SequentialNode):
            remedy = (
                "it takes whole arrays and hands over whole ones; of its loops, those whose "
                "iterations don't wait for each other may have lanes"
            )
            words = f"{node.name} is sequential"
            yield DesignWarning("W07", words, node.reason, remedy=remedy, place=node.loc)
