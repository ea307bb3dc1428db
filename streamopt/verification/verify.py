"""Verification of a project: C simulation against the reference interpreter of its source."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from streamopt.codegen.design import BackendName
from streamopt.codegen.dialect import Dialect
from streamopt.codegen.layout import plan_layout
from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.program import Program, Role
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.verification.compare import DesignVerdict, OutputVerdict, compare_output
from streamopt.verification.csim.running import Compiled, compiled
from streamopt.verification.csim.standstill import explained, read_standstill
from streamopt.verification.csim.tokens import first_wrong_token
from streamopt.verification.csim.verilated import verilated
from streamopt.verification.manifest import Manifest, read_manifest
from streamopt.verification.project import write_data
from streamopt.verification.reference.execution import Result
from streamopt.verification.reference.scheduled_order import in_scheduled_order
from streamopt.verification.scratch import scratch
from streamopt.verification.storage import numbers_of
from streamopt.verification.vectors.golden import (
    TOO_LARGE,
    Golden,
    find_golden,
    in_any_order,
    sample_golden,
)
from streamopt.verification.vectors.inputs import InputWays, parsed_ways

RUNS = 2
"""Of a kernel, one after another: what it keeps shows in the second one."""

_NO_PATTERN = (
    "uninitialized memory holds whatever it does, as this compiler can't fill it with a pattern: "
    "g++ 12 and clang 16 can"
)


_IN_ITS_ORDER = (
    "{} elements have no finite error bound in another order of sums: all are compared bit by bit "
    "with the design's own order, which computes the terms of the source (exactly the same values "
    "modulo a prime)"
)


def verify_project(
    directory: Path,
    program: Program,
    time_limit_s: float = 300.0,
    compiler: str = "g++",
    *,
    seed: int | None = None,
    traced: Traced | None = None,
    ways: InputWays | None = None,
    golden: Golden | None = None,
) -> DesignVerdict:
    """Compile a project, run it on inputs made from its source program, and compare.

    The data files in the directory are not trusted: inputs and golden outputs are made afresh from
    the program and the seed in the manifest, and the outputs are compared here. Parameters are
    those of `streamopt.verification.csim.running.compiled`, a seed of other inputs, what is known
    of the design's channels, how inputs are drawn, as the manifest says if not given, and test data
    instead of such. If the program brings a sample of what its source computed, the design also
    runs on that.

    Raises
    ------
    VerificationError
        E722 if the directory is no project, E707 if its design doesn't return an output of the
        program, and what `streamopt.verification.csim.running` raises; with E716 where a wrong
        token explains it.
    """
    directory = directory.absolute()
    manifest = read_manifest(directory)
    _check_interface(manifest, program)
    if manifest.backend == BackendName.RTL:
        vcd = None if traced is None else traced.vcd
        with verilated(directory, manifest.top, vcd) as design:
            return verify_compiled(
                design, program, seed=seed, traced=traced, ways=ways, golden=golden
            )
    with compiled(directory, manifest.sources, time_limit_s, compiler) as design:
        return verify_compiled(design, program, seed=seed, traced=traced, ways=ways, golden=golden)


def verify_compiled(
    design: Compiled,
    program: Program,
    *,
    seed: int | None = None,
    traced: Traced | None = None,
    ways: InputWays | None = None,
    golden: Golden | None = None,
) -> DesignVerdict:
    """Run a project's compiled testbench on inputs made from its source program, and compare.

    Parameters, result and errors are those of `verify_project`. A design in Verilog writes no
    traces: only the order of its sums is taken from what is known of it.
    """
    manifest = read_manifest(design.directory)
    _check_interface(manifest, program)
    ways = InputWays(parsed_ways(manifest.inputs)) if ways is None else ways
    seed = manifest.seed if seed is None else seed
    if golden is None:
        golden = find_golden(program, seed, ways)
    if any(problem.code == TOO_LARGE for problem in golden.problems):
        raise VerificationError(*golden.problems)
    frames = 1 if traced is None else traced.frames
    later = (find_golden(program, seed + frame, ways) for frame in range(1, frames))
    goldens = [("", (golden, *later))]
    sample = sample_golden(program)
    if sample is not None:
        goldens.append((" of the source's own run", (sample,)))
    outputs: list[OutputVerdict] = []
    notes = () if design.is_patterned else (_NO_PATTERN,)
    ends: tuple[int, ...] = ()
    scheduled = None if traced is None else traced.scheduled
    traced = None if manifest.backend == BackendName.RTL else traced
    for whose, given in goldens:
        verdict = _Check(design, program, manifest, given).verdict(traced)
        if verdict.is_wrong and scheduled is not None and scheduled.may_reorder_sums:
            loose = tuple(in_any_order(program, one, seed + at) for at, one in enumerate(given))
            verdict = _Check(design, program, manifest, loose).verdict(traced)
            if verdict.unchecked and not verdict.is_wrong:
                exact = [_in_its_order(scheduled, one) for one in given]
                known = tuple(one for one in exact if one is not None)
                if len(known) == len(given):
                    unbounded = verdict.unchecked
                    verdict = _Check(design, program, manifest, known).verdict(traced)
                    notes = (*notes, _IN_ITS_ORDER.format(unbounded))
        ends = ends or verdict.measured_ends
        outputs += (replace(o, name=f"{o.name}{whose}") for o in verdict.outputs)
        if verdict.first_wrong is not None:
            return DesignVerdict(program.name, tuple(outputs), verdict.first_wrong, notes=notes)
    return DesignVerdict(program.name, tuple(outputs), notes=notes, measured_ends=ends)


@dataclass(frozen=True, slots=True)
class Traced:
    """Comparison of all tokens of a design, where a run went wrong or in every run.

    Attributes
    ----------
    vcd
        File for the signals of a design in Verilog, which has no tokens.
    frames
        Of a design in Verilog in a run, one after another, the later ones of other seeds.
    """

    scheduled: ScheduledGraph
    """The graph and schedule of the design."""
    always: bool = False
    vcd: Path | None = None
    frames: int = 1


@dataclass(frozen=True, slots=True)
class _Check:
    """One design on the inputs of its frames, which are one but in Verilog."""

    design: Compiled
    program: Program
    manifest: Manifest
    goldens: tuple[Golden, ...]

    def verdict(self, traced: Traced | None) -> DesignVerdict:
        """Return the verdict on a run; a second run, with traces, tells why it is wrong."""
        if traced is not None and traced.always:
            return self._with_tokens(traced.scheduled)
        try:
            found = self._run(None)
        except VerificationError:
            if traced is None:
                raise
            return self._with_tokens(traced.scheduled)
        if found.passed or traced is None:
            return found
        return self._with_tokens(traced.scheduled)

    def _with_tokens(self, scheduled: ScheduledGraph) -> DesignVerdict:
        dialect = Dialect.TAPA if self.manifest.backend == BackendName.TAPA else Dialect.HLS
        wrong = partial(first_wrong_token, scheduled, self.goldens[0].inputs, dialect=dialect)
        with scratch("trace") as at:
            try:
                found = self._run(at)
            except VerificationError as error:
                state = read_standstill(at)
                token, layout = wrong(at, state=state), plan_layout(scheduled, dialect)
                said = (explained(one, token, state, layout) for one in error.diagnostics)
                raise VerificationError(*said, *([token] if token else [])) from None
            return replace(found, first_wrong=wrong(at, found.outputs))

    def _run(self, trace: Path | None) -> DesignVerdict:
        with scratch("verify") as at:
            below = ["", *(f"frame{number}" for number in range(2, len(self.goldens) + 1))]
            for one, golden in zip(below, self.goldens, strict=True):
                (at / "results" / one).mkdir(parents=True, exist_ok=True)
                write_data(self.program, golden, self.manifest, at / "data" / one)
            folders = (str(at / "data"), str(at / "results"))
            run = self.design.run(folders, trace, RUNS, len(self.goldens))
            outputs: list[OutputVerdict] = []
            for one, golden in zip(below, self.goldens, strict=True):
                whose = f" of {one[:5]} {one[5:]}" if one else ""
                found = self._outputs(at / "results" / one, golden)
                outputs += (replace(output, name=f"{output.name}{whose}") for output in found)
            return DesignVerdict(self.program.name, (*outputs,), measured_ends=run.frame_ends)

    def _outputs(self, folder: Path, golden: Golden) -> list[OutputVerdict]:
        """Return the outputs of the first run, and of later ones what is wrong in them alone."""
        program, manifest = self.program, self.manifest
        outputs = [
            _compare(name, folder / f"{manifest.ports[name]}.out{run}.bin", program, golden)
            for run in ("", *(f".{number}" for number in range(2, RUNS + 1)))
            for name in manifest.outputs
        ]
        first, later = outputs[: len(manifest.outputs)], outputs[len(manifest.outputs) :]
        changed = (
            replace(again, name=f"{again.name} of a later run")
            for again in later
            if again.wrong and not any(o.wrong for o in first if o.name == again.name)
        )
        return [*first, *changed]


def _in_its_order(scheduled: ScheduledGraph, golden: Golden) -> Golden | None:
    """Return test data with the bits of a design's own order of sums; None where unknown."""
    found = in_scheduled_order(scheduled, golden.inputs)
    if found is None:
        return None
    exact = {
        name: Result(np.asarray(found[name], np.float64), np.zeros(found[name].shape))
        for name in golden.outputs
    }
    return replace(golden, outputs=exact)


def _check_interface(manifest: Manifest, program: Program) -> None:
    wanted = {array.name for array in program.arrays if array.role is Role.OUTPUT}
    missing = sorted(wanted - (set(manifest.outputs) & set(manifest.ports)))
    if missing or not wanted.issuperset(manifest.outputs):
        listed = ", ".join(manifest.outputs) or "nothing"
        message = f"the design returns {listed}; program '{program.name}' has the outputs "
        raise VerificationError(Diagnostic("E707", f"{message}{', '.join(sorted(wanted))}"))


def _compare(name: str, path: Path, program: Program, golden: Golden) -> OutputVerdict:
    array = program.array(name)
    try:
        got = np.fromfile(path, dtype=array.element.dtype)
    except OSError:
        raise VerificationError(
            Diagnostic("E707", f"the testbench did not write output {name}")
        ) from None
    if got.size != array.size_elems:
        message = f"output {name} has {got.size} elements, expected {array.size_elems}"
        raise VerificationError(Diagnostic("E707", message))
    numbers = numbers_of(got, array.element).reshape(array.shape)
    return compare_output(name, numbers, golden.outputs[name])
