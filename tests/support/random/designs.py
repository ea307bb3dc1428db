"""Random requests to the whole chain: a program, a level, limits, a back end and its ports."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

import streamopt as so
from streamopt.evaluation.design import built_resources
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Literal, rewrite
from streamopt.ir.program import Role
from streamopt.pipeline import BindingChoice
from streamopt.space.assemble import baseline
from streamopt.target.device import find_device
from streamopt.transforms.rewrites import rewritten
from streamopt.verification.vectors.inputs import make_inputs
from tests.support.random.functions import random_function
from tests.support.random.graphs import random_program
from tests.support.random.nests import ALL_MAKERS
from tests.support.random.schedules import any_factors
from tests.support.random.windows import window_chain

if TYPE_CHECKING:
    from streamopt.ir.expression import Expression
    from streamopt.ir.graph import Graph
    from streamopt.ir.program import Nest, Program
    from streamopt.ir.schedule import Schedule

__all__ = ["BACKENDS", "Request", "random_request", "schedule_of"]

ANY_FACTORS = "any factors"
"""Instead of a level: loop orders and unroll factors by chance."""
LEVELS = ("opt1", "opt2", "opt3", "opt4", "opt5", "opt6", "opt6", "opt6", ANY_FACTORS)
BACKENDS = ("vitis", "native", "tapa")
PORTS = {
    "vitis": ("memory", "memory", "m_axi", "axis", "mixed", "rom"),
    "native": ("memory", "rom"),
    "tapa": ("m_axi", "m_axi", "rom"),
}
"""Kinds of all arrays; ``mixed`` any of each, ``rom`` tables of some inputs."""
DSPS = (100, 300, 2560)
FORMS = (
    (),
    ("private_arguments",),
    ("fold_padding", "fold_copies", "fold_pointwise", "private_arguments"),
    ("fold_borders", "fold_copies", "private_arguments"),
)
SOLVE_SECONDS = 2.0
WHOLE = tuple(element for element in ElementType if not element.is_float)


@dataclass(frozen=True, slots=True)
class Request:
    """What a design is wanted of, and how.

    Attributes
    ----------
    level
        One of `LEVELS`.
    ports
        Kind by array; of all arrays that cross the boundary, or none.
    is_solved_with_ports
        Whether the search knows of them; else they come after it.
    seed
        Of what is decided by chance.
    """

    program: Program
    level: str
    dsps: int
    backend: str
    ports: tuple[tuple[str, str], ...]
    is_solved_with_ports: bool
    seed: int

    def __str__(self) -> str:
        """Return what is asked for, on one line."""
        ports = " ".join(f"{name}:{kind}" for name, kind in self.ports)
        when = " solved with ports" if self.is_solved_with_ports else ""
        return f"{self.program.name} {self.level} {self.dsps} {self.backend} {ports}{when}"


def random_request(rng: Random, name: str, backend: str) -> Request:
    """Return a request for a design of that name."""
    program = replace(_random_source(rng, name), name=name)
    level, kind = rng.choice(LEVELS), rng.choice(PORTS[backend])
    ports: list[tuple[str, str]] = []
    if kind != "memory":
        if kind == "rom":
            program = replace(program, values=make_inputs(program))
        usual = "m_axi" if backend == "tapa" else "memory"
        kinds = {"mixed": ("memory", "m_axi", "axis"), "rom": ("rom", usual)}.get(kind, (kind,))
        for array in program.arrays:
            if array.role is not Role.INTERNAL:
                own = rng.choice(kinds)
                ports.append((array.name, own if own != "rom" or array.is_given else usual))
    is_paper = level not in ("opt6", ANY_FACTORS)
    with_ports = bool(ports) and is_paper and rng.random() < 0.6
    seed = rng.randrange(2**32)
    return Request(program, level, rng.choice(DSPS), backend, tuple(ports), with_ports, seed)


def schedule_of(request: Request) -> Schedule:
    """Return the schedule that is found, with ports."""
    graph = so.dataflow(request.program)
    if request.level == ANY_FACTORS:
        schedule = _by_chance(graph, Random(request.seed))
    else:
        schedule = _solved(graph, request)
    if request.ports and not schedule.ports:
        ports = so.plan_ports(graph, ports=dict(request.ports))
        schedule = so.put_outside(graph, schedule, ports)
    return schedule


def _by_chance(graph: Graph, rng: Random) -> Schedule:
    names = rng.choice(FORMS)
    return replace(any_factors(rewritten(graph, names), rng), rewrites=names)


def _solved(graph: Graph, request: Request) -> Schedule:
    given = request.ports if request.is_solved_with_ports else ()
    ports = so.plan_ports(graph, ports=dict(given)) if given else ()
    binding = None
    if request.level == "opt6":
        bindings = (*BindingChoice,)
        binding = bindings[request.seed % len(bindings)]
    dsps = request.dsps
    if request.level == "opt6":
        least = built_resources(graph, baseline(graph), find_device()).dsps
        dsps = dsps if least <= dsps else max(DSPS)
    found = so.solve(
        graph,
        level=request.level,
        dsp=dsps,
        time_limit=SOLVE_SECONDS,
        space=so.Space(tiling_limit=1, binding=binding, ports=ports),
    )
    return found.schedule


def _random_source(rng: Random, name: str) -> Program:
    kind = rng.random()
    if kind < 0.2:
        return window_chain(rng, layers=rng.randint(1, 3))
    if kind < 0.4:
        return _from_c(rng, name)
    nodes, extent = rng.randint(1, 5), rng.choice((3, 5, 7, 8))
    program = random_program(rng, nodes=nodes, max_extent=extent, makers=ALL_MAKERS)
    return _with_elements(_with_more_outputs(program, rng), rng)


def _from_c(rng: Random, name: str) -> Program:
    function = random_function(rng, name, most=4, is_tame=True)
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.c"
        path.write_text(f"#include <math.h>\n{function.text}")
        return so.load(path)


def _with_more_outputs(program: Program, rng: Random) -> Program:
    """Return a program that hands over some of what it computes on the way."""
    arrays = tuple(
        replace(array, role=Role.OUTPUT)
        if array.role is Role.INTERNAL and rng.random() < 0.2
        else array
        for array in program.arrays
    )
    return replace(program, arrays=arrays)


def _with_elements(program: Program, rng: Random) -> Program:
    """Return a program of other element types: one of all arrays, or any of each."""
    kind = rng.random()
    if kind < 0.5:
        return program
    if kind < 0.8:
        chosen = dict.fromkeys((a.name for a in program.arrays), rng.choice((*ElementType,)))
    else:
        chosen = {a.name: rng.choice((*ElementType,)) for a in program.arrays}
    arrays = tuple(replace(array, element=chosen[array.name]) for array in program.arrays)
    return replace(program, arrays=arrays, nests=tuple(map(_in_whole_numbers, program.nests)))


def _in_whole_numbers(nest: Nest) -> Nest:
    """Return a nest without fractions: an integer array would take none of them."""

    def leaf(expression: Expression) -> Expression:
        match expression:
            case Literal(value):
                return Literal(float(round(value + 0.5)) if value % 1 else value)
            case _:
                return expression

    statements = tuple(replace(one, value=rewrite(one.value, leaf)) for one in nest.statements)
    return replace(nest, statements=statements)
