"""Engines that all layers of a network share, from a network to a verified project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, LegalityError
from streamopt.evaluation.engines import EngineEvaluation
from streamopt.ir.engines.layers import LayerGraph
from streamopt.ir.graph import Graph
from streamopt.ir.program import Program
from streamopt.options import checked
from streamopt.pipeline.design_limits import Budget
from streamopt.pipeline.engines.limits import UNLIMITED, most_of_engine
from streamopt.pipeline.reading import dataflow, load
from streamopt.pipeline.solved import verified
from streamopt.strategies.engines.answer import EngineAnswer
from streamopt.strategies.engines.search import EngineLimits, solve_engine
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.codegen.design import Design
    from streamopt.pipeline.sources.readers import Readable
    from streamopt.sim.engines.run import EngineRun
    from streamopt.verification.compare import DesignVerdict


@dataclass(frozen=True, slots=True, repr=False)
class EngineSolution(EngineAnswer[EngineEvaluation]):
    """An engine, as `streamopt.engine` returns it.

    Attributes
    ----------
    graph
        Of the network that was given.
    layers
        That the engine runs one after the other.
    target
        The device and clock.
    """

    graph: Graph = field(kw_only=True)
    layers: LayerGraph = field(kw_only=True)
    target: Target = field(kw_only=True)

    def __repr__(self) -> str:
        """Return the figures on one line."""
        used = self.evaluation.resources.total
        shape = self.evaluation.hardware.table.shape
        proof = f"{self.cycles:,} cycles, bound {self.bound_cycles:,}, {used.dsps:,} DSPs"
        return f"<EngineSolution {self.graph.name}: {proof}; {shape}>"

    @property
    def program(self) -> Program:
        """Return the program that was solved.

        Raises
        ------
        OptionError
            E544 if a graph was solved that doesn't know its program.
        """
        return load(self.graph)

    @checked()
    def simulate(self, frames: int = 1) -> EngineRun:
        """Return the run over frames, one after the other."""
        from streamopt.sim.engines.run import simulate_engine

        return simulate_engine(self.evaluation.hardware, frames)

    def emit(self) -> Design:
        """Return the design: C++, testbench and scripts."""
        from streamopt.codegen.engines.design import emit_engine

        resources = self.evaluation.resources
        blocks = (resources.maps.value, resources.weights.value)
        return emit_engine(self.evaluation.hardware, self.graph, blocks, self._settings)

    @checked()
    def write(
        self,
        directory: str | PathLike[str],
        *,
        seed: int = 0,
        inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | None = None,
    ) -> Design:
        """Write the project, with the graph and golden data.

        Parameters
        ----------
        directory
            Of the project; it appears whole or not at all.
        seed
            Seed of the test inputs.
        inputs
            Test inputs that suit the program; see `streamopt.write`.

        Raises
        ------
        VerificationError
            As `streamopt.write`.
        OptionError
            E544 if a graph was solved that doesn't know its program.
        """
        from streamopt.codegen.engines.design import SETTING
        from streamopt.formats.graph_json import write_graph_json
        from streamopt.formats.weights import weights_bytes
        from streamopt.pipeline.building import golden_data
        from streamopt.verification.project import write_project

        program, design = self.program, self.emit()
        weights = "weights.npz" if program.values or program.sample else ""
        extra: dict[str, str | bytes] = {"graph.json": write_graph_json(program, weights=weights)}
        if weights:
            extra[weights] = weights_bytes(program)
        golden = golden_data(program, seed, inputs)
        settings = asdict(self._settings) | {SETTING: str(self.evaluation.hardware.table.shape)}
        write_project(design, program, Path(directory), extra, seed, golden, settings)
        return design

    @checked()
    def verify(self, *, seed: int = 0, compiler: str = "g++") -> DesignVerdict:
        """Compile and run the engine, and compare its outputs with those of the program.

        Parameters
        ----------
        seed
            Seed of the test inputs.
        compiler
            Of C++17, with the options of g++.

        Raises
        ------
        VerificationError
            As `streamopt.verify`.
        """
        return verified(lambda project: self.write(project, seed=seed), compiler)

    @property
    def _settings(self) -> VitisSettings:
        from streamopt.codegen.backends.vitis_project import VitisSettings

        return VitisSettings(part=self.target.part, clock_ns=self.target.clock_ns)


@checked()
def engine(
    graph: Readable,
    *,
    dsp: int | None = None,
    packed: bool = False,
    lut_products: int = 0,
    channels: int | None = None,
    time_limit: float | None = None,
    budget: Budget = UNLIMITED,
) -> EngineSolution:
    """Return the quickest engine for a network: multipliers that all of its layers share.

    Parameters
    ----------
    graph
        A graph, or anything else that `streamopt.load` reads.
    dsp
        DSPs of the engine; where not given, those of the part of the device.
    packed
        Whether two products of 8 bits share a DSP; not of floating-point numbers.
    lut_products
        Multipliers beyond those of the DSPs that may be built from LUTs.
    channels
        Of memory that weights stream over, at most; where not given, as many as bring a weight for
        every product of a cycle.
    time_limit
        Processor seconds after which the best so far is returned with its bound.
    budget
        Limits on the design as built; ``fit`` is ``device`` where not given.

    Raises
    ------
    LegalityError
        E341 for each node that is no layer, with the reason; E342 for elements that engines don't
        compute with, or don't pack.
    InfeasibleError
        E528 if no engine fits, E402 for a limit that no design keeps.
    """
    from streamopt.transforms.engines.network_layers import network_layers

    given = dataflow(graph)
    target, part = most_of_engine(budget, dsp)
    layers = network_layers(given)
    if packed and layers.is_float:
        message = f"products of {layers.name} are of floating-point numbers, which share no DSP"
        raise LegalityError(Diagnostic("E342", message, None, "leave out packed"))
    asked = EngineLimits(target, part, packed, lut_products, channels)
    found = solve_engine(layers, asked, time_limit)
    own = {part.name: getattr(found, part.name) for part in fields(found)}
    return EngineSolution(**own, graph=given, layers=layers, target=target)
