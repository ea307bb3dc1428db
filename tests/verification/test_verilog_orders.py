"""Designs in Verilog whose sums have an order of their own: it is theirs to choose, and no more."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import streamopt as so
from streamopt.ir.scheduled import ScheduledGraph
from streamopt.verification import verify
from streamopt.verification.compare import DesignVerdict
from streamopt.verification.csim.running import Compiled, CsimRun
from streamopt.verification.manifest import read_manifest, write_manifest
from streamopt.verification.reference.scheduled_order import in_scheduled_order

CENTERED = """
void centered(float A[8][4], float m[4]) {
  for (int k = 0; k < 4; k++) {
    m[k] = 0;
    for (int i = 0; i < 8; i++) m[k] += A[i][k] / 3.0f;
    for (int j = k + 1; j < 4; j++)
      for (int i = 0; i < 8; i++) A[i][j] -= A[i][k] * m[k];
  }
}
"""


@dataclass(frozen=True, slots=True)
class InItsOrder(Compiled):
    """Computes as the design does, and then something else to its output."""

    scheduled: ScheduledGraph | None = None
    after: Callable[[NDArray[np.float32]], NDArray[np.float32]] = np.copy

    def run(
        self,
        arguments: Sequence[str] = (),
        trace: Path | None = None,
        runs: int = 1,
        frames: int = 1,
    ) -> CsimRun:
        assert trace is None, "a design in Verilog writes no traces"
        assert frames == 1
        assert self.scheduled is not None
        data, results = map(Path, arguments)
        inputs = {
            a.name: np.fromfile(data / f"{a.name}.bin", np.float32).reshape(a.shape)
            for a in self.scheduled.graph.arrays
            if a.is_given
        }
        found = in_scheduled_order(self.scheduled, inputs)
        assert found is not None
        for number in range(1, runs + 1):
            again = "" if number == 1 else f".{number}"
            for name in read_manifest(self.directory).outputs:
                self.after(found[name]).tofile(results / f"{name}.out{again}.bin")
        return CsimRun(True, "cycles 7\n", "")


@pytest.fixture(scope="module")
def design(tmp_path_factory: pytest.TempPathFactory) -> InItsOrder:
    folder = tmp_path_factory.mktemp("centered")
    (folder / "centered.c").write_text(CENTERED)
    graph = so.dataflow(folder / "centered.c")
    schedule = so.solve(graph, level="opt5", dsp=100).schedule
    so.write(graph, schedule, folder / "made", backend="native")
    manifest = replace(read_manifest(folder / "made"), backend="rtl")
    write_manifest(manifest, folder / "made")
    return InItsOrder(Path(), folder / "made", "", 1.0, scheduled=so.apply(graph, schedule))


def moved(values: NDArray[np.float32]) -> NDArray[np.float32]:
    return values + np.float32(1e-3)


def verdict(design: InItsOrder, seed: int, monkeypatch: pytest.MonkeyPatch) -> DesignVerdict:
    """Return the verdict on a design that stands for one that Verilator compiles."""

    def made(directory: Path, top: str, vcd: Path | None) -> AbstractContextManager[Compiled]:
        assert (directory, top, vcd) == (design.directory, "centered", None)
        return nullcontext(design)

    monkeypatch.setattr(verify, "verilated", made)
    program = so.load(design.directory / "graph.json")
    assert design.scheduled is not None
    traced = verify.Traced(design.scheduled)
    return verify.verify_project(design.directory, program, seed=seed, traced=traced)


@pytest.mark.parametrize("seed", [0, 1])
def test_bits_of_another_order_are_no_error(
    design: InItsOrder, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = verdict(design, seed, monkeypatch)
    assert found.passed, str(found)
    assert any(output.max_error > 0.0 for output in found.outputs)
    assert found.measured_cycles == 7


def test_what_no_order_computes_is_one(design: InItsOrder, monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = replace(design, after=moved)
    found = verdict(wrong, 1, monkeypatch)
    assert found.is_wrong
    assert all(output.wrong == output.elements for output in found.outputs[:2])
