"""A solution as users hold it: with its program, and with all that is done next as methods."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt.ir.graph import Graph
from streamopt.ir.program import Program
from streamopt.options import checked
from streamopt.sim import Trace
from streamopt.strategies.solution import Solution
from streamopt.target.device import Target
from streamopt.verification.scratch import scratch

if TYPE_CHECKING:
    import pandas as pd

    from streamopt.codegen.backends.vitis_project import VitisSettings
    from streamopt.codegen.design import Design
    from streamopt.explanation.explanation import Explanation
    from streamopt.pipeline.reporting import Report
    from streamopt.report.chart import Chart
    from streamopt.strategies.exact.front import Front
    from streamopt.verification.compare import DesignVerdict


def verified(
    write: Callable[[Path], object], compiler: str = "g++", frames: int = 1
) -> DesignVerdict:
    """Return the verdict on a project that is written for it alone; see `streamopt.verify`.

    Parameters
    ----------
    write
        Writes the project to a folder.
    compiler
        Of C++17, with the options of g++.
    frames
        One after another, of a design in Verilog.
    """
    from streamopt.pipeline.building import verify

    with scratch("verified") as at:
        write(at / "project")
        return verify(at / "project", compiler=compiler, frames=frames)


@dataclass(frozen=True, slots=True, repr=False)
class Solved(Solution):
    """A solution, as `streamopt.solve` returns it.

    Attributes
    ----------
    graph
        As it was given, or of the program that was given.
    """

    graph: Graph = field(kw_only=True, compare=False)

    @property
    def program(self) -> Program:
        """Return the program that was solved.

        Raises
        ------
        OptionError
            E544 if a graph was solved that doesn't know its program.
        """
        from streamopt.pipeline.reading import load

        return load(self.graph)

    @checked()
    def report(self, device: Target | None = None, *, front: Front | None = None) -> Report:
        """Return the report as a page, which notebooks display; its ``write(path)`` makes a file.

        Parameters
        ----------
        device
            The target; that of the solution where not given.
        front
            From `streamopt.pareto`, for its curve.
        """
        from streamopt.pipeline.reporting import report_solution

        return report_solution(self, device or self._target, front=front)

    @checked()
    def explain(self, device: Target | None = None, *, quick: bool = False) -> Explanation:
        """Return the reasons for its speed: what bounds it, what more would buy, what to change.

        Parameters
        ----------
        device
            The target; that of the solution where not given.
        quick
            Whether nothing is solved again.
        """
        from streamopt.pipeline.explaining import explain

        return explain(self, device=device or self._target, quick=quick)

    @checked()
    def write(
        self,
        directory: str | PathLike[str],
        *,
        backend: str = "vitis",
        settings: VitisSettings | None = None,
        seed: int = 0,
        inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | None = None,
    ) -> Design:
        """Write the project, with the graph, the schedule, the result and golden data.

        Parameters
        ----------
        directory
            Of the project; it appears whole or not at all.
        backend
            ``vitis``, ``tapa`` or ``native``.
        settings
            Release, part and clock of a Vitis project; where not given, those of the device that
            the solution was judged on.
        seed
            Seed of the test inputs.
        inputs
            Test inputs that suit the program; see `streamopt.write`.

        Raises
        ------
        CodegenError, VerificationError
            As `streamopt.write`.
        OptionError
            E544 if a graph was solved that doesn't know its program.
        """
        from streamopt.pipeline.building import write
        from streamopt.pipeline.flat_records import whole_record

        return write(
            self.program,
            self.schedule,
            directory,
            result=whole_record(self),
            seed=seed,
            backend=backend,
            settings=settings or self._settings,
            inputs=inputs,
        )

    @checked()
    def verify(
        self,
        *,
        backend: str = "vitis",
        seed: int = 0,
        inputs: str | PathLike[str] | Sequence[str] | Mapping[str, Any] | None = None,
        compiler: str = "g++",
    ) -> DesignVerdict:
        """Compile and run the design, and compare its outputs with those of the program.

        Parameters
        ----------
        backend
            ``vitis``, ``tapa`` or ``native``.
        seed
            Seed of the test inputs.
        inputs
            Test inputs that suit the program; see `streamopt.write`.
        compiler
            Of C++17, with the options of g++.

        Raises
        ------
        CodegenError, DeadlockError, VerificationError
            As `streamopt.verify`, for a project in a temporary folder.
        OptionError
            E544 if a graph was solved that doesn't know its program.
        """

        def write(project: Path) -> object:
            return self.write(project, backend=backend, seed=seed, inputs=inputs)

        return verified(write, compiler)

    @checked()
    def simulate(self, device: Target | None = None, *, frames: int = 1, samples: int = 0) -> Trace:
        """Return the design's run, cycle by cycle.

        Parameters
        ----------
        device
            The target; that of the solution where not given.
        frames
            Runs one after another.
        samples
            Moments at which the trace says how full each FIFO is.
        """
        from streamopt.pipeline.evaluating import simulate

        on = device or self._target
        return simulate(self.graph, self.schedule, on, frames=frames, samples=samples)

    @checked()
    def gantt(self, device: Target | None = None) -> Chart:
        """Return the run as a Gantt chart, which notebooks display; ``write(path)`` makes a file.

        Parameters
        ----------
        device
            The target; that of the solution where not given.

        Raises
        ------
        MissingExtraError
            E890 without matplotlib, which the extra ``report`` brings.
        """
        from functools import partial

        from streamopt.pipeline.evaluating import evaluate
        from streamopt.report.chart import Chart
        from streamopt.report.charts import require_charts
        from streamopt.report.gantt import SAMPLES, gantt

        require_charts()
        on = device or self._target
        found = evaluate(self.graph, self.schedule, on, samples=SAMPLES)
        says = f"run of {self.graph.name}, {found.trace.cycles:,} cycles"
        return Chart(says, partial(gantt, found.trace, found.predicted_spans()))

    def to_frame(self) -> pd.DataFrame:
        """Return one row a node: its loops, its times in the model, and its run in the simulation.

        Raises
        ------
        MissingExtraError
            E890 without pandas, which the extra ``report`` brings.
        """
        from streamopt.extras import require
        from streamopt.pipeline.flat_records import node_records

        require("pandas", "report", "a DataFrame")
        import pandas as pd

        rows = node_records(self)
        nodes: Any = pd.Index([row.pop("node") for row in rows], name="node")
        return pd.DataFrame(rows, index=nodes)

    def _repr_html_(self) -> str:
        """Show the figures, the graph with its channels, and every node's loops, in a notebook."""
        from streamopt.report.graph.drawing import scheduled_svg
        from streamopt.report.loops import node_facts
        from streamopt.transforms.apply import apply

        facts = node_facts(self.prediction, dict(self.schedule.slrs))
        drawn = scheduled_svg(apply(self.graph, self.schedule), facts)
        return f"{Solution._repr_html_(self)}\n{drawn}"

    @property
    def _settings(self) -> VitisSettings | None:
        from streamopt.codegen.backends.vitis_project import VitisSettings

        on = self._target
        return None if on is None else VitisSettings(part=on.part, clock_ns=on.clock_ns)

    @property
    def _target(self) -> Target | None:
        return None if self.evaluation is None else self.evaluation.target


def solved(found: Solution, graph: Graph) -> Solved:
    """Return a solution with the graph that it is for."""
    return Solved(**{part.name: getattr(found, part.name) for part in fields(found)}, graph=graph)
