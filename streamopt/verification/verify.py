"""Verification of a project: C simulation against the reference interpreter of its source."""

from __future__ import annotations

import tempfile
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from streamopt.errors import Diagnostic, VerificationError
from streamopt.ir.program import Role
from streamopt.verification.compare import OutputVerdict, Verdict, compare_output
from streamopt.verification.csim import compile_and_run
from streamopt.verification.golden import make_golden
from streamopt.verification.interpreter import dtype_of
from streamopt.verification.project import read_manifest, write_data
from streamopt.verification.sample import sample_golden

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.verification.golden import Golden
    from streamopt.verification.project import Manifest

__all__ = ["verify_project"]


def verify_project(
    directory: Path,
    program: Program,
    time_limit_s: float = 300.0,
    compiler: str = "g++",
    *,
    seed: int | None = None,
) -> Verdict:
    """Compile a project, run it on inputs made from its source program, and compare.

    The data files in the directory are not trusted: inputs and golden outputs are made afresh
    from the program and the seed in the manifest, and the outputs are compared here. Parameters
    are those of `streamopt.verification.csim.compile_and_run`, and a seed of other inputs.
    If the program brings a sample of what its source computed, the design also runs on that.

    Raises
    ------
    VerificationError
        E722 if the directory is no project, E707 if its design doesn't return an output of the
        program, and what `streamopt.verification.csim.compile_and_run` raises.
    """
    directory = directory.absolute()
    manifest = read_manifest(directory)
    _check_interface(manifest, program)
    goldens = [("", make_golden(program, manifest.seed if seed is None else seed))]
    sample = sample_golden(program)
    if sample is not None:
        goldens.append((" of the source's own run", sample))
    outputs: list[OutputVerdict] = []
    for whose, golden in goldens:
        with tempfile.TemporaryDirectory(prefix="streamopt-verify-") as scratch:
            data, results = Path(scratch) / "data", Path(scratch) / "results"
            results.mkdir()
            write_data(program, golden, manifest, data)
            arguments = (str(data), str(results))
            compile_and_run(directory, manifest.sources, arguments, time_limit_s, compiler)
            for name in manifest.outputs:
                path = results / f"{manifest.ports[name]}.out.bin"
                verdict = _compare(name, path, program, golden)
                outputs.append(replace(verdict, name=f"{name}{whose}"))
    return Verdict(program.name, tuple(outputs))


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
        got = np.fromfile(path, dtype=dtype_of(array.element))
    except OSError:
        raise VerificationError(
            Diagnostic("E707", f"the testbench did not write output {name}")
        ) from None
    if got.size != array.size_elems:
        message = f"output {name} has {got.size} elements, expected {array.size_elems}"
        raise VerificationError(Diagnostic("E707", message))
    return compare_output(name, got.reshape(array.shape), golden.outputs[name])
