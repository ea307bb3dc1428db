"""Resident arrays: memories of the design that are filled once, counted as the pragmas say."""

from __future__ import annotations

import re
from dataclasses import replace
from math import prod
from typing import TYPE_CHECKING

import pytest

import streamopt as so
from streamopt.errors import CodegenError, LegalityError
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.network import Place
from streamopt.ir.ports import RamBlock
from streamopt.perf.resources.addresses import address_multipliers
from streamopt.perf.resources.network import launch_cycles
from streamopt.target.device import Target
from streamopt.verification.csim.running import compiled
from streamopt.verification.manifest import read_manifest
from streamopt.verification.verify import verify_compiled
from tests.support.programs.sketches import program, scheduled

if TYPE_CHECKING:
    from pathlib import Path

    from streamopt.ir.schedule import Schedule

PROGRAM = program(
    {
        "A": "input 6 40", "B": "weight 40 54 int16_t", "s": "weight", "G": "weight 9 half",
        "C": "internal 6 54", "D": "output 54 6", "E": "output 9",
    },
    {
        "mm": "i 6, j 54, k 40: C[i][j] += A[i][k] * B[k][j]",
        "act": "i 6, j 54: D[j][i] = max(C[i][j] * s, 0)",
        "add": "n 9: E[n] = G[n] + G[8 - n]",
    },
    name="layer",
)  # fmt: skip
ON_CHIP = scheduled(
    PROGRAM, {"mm": "k i j"}, {"mm": "i 3, j 27, k 7", "act": "i 3, j 27", "add": "n 2"}
).schedule
"""With 189 lanes that read B: the last tile of k has 5 of 7."""


def resident(schedule: Schedule, kind: str = "memory", block: RamBlock | None = None) -> Schedule:
    graph = so.dataflow(PROGRAM)
    ports = so.plan_ports(graph, kind, ports={"weights": "resident"})
    bound = tuple(replace(p, block=block if p.array == "B" else None) for p in ports)
    return so.put_outside(graph, schedule, bound)


@pytest.mark.parametrize(
    ("backend", "kind"), [("vitis", "memory"), ("vitis", "m_axi"), ("native", "axis")]
)
def test_design_with_residents_computes_the_same(backend: str, kind: str, tmp_path: Path) -> None:
    schedule = resident(ON_CHIP, kind, RamBlock.URAM)
    design = so.write(PROGRAM, schedule, tmp_path / "project", backend=backend)
    assert "static int16_t B_kept[40][54];" in design.text("layer.cpp")
    with compiled(tmp_path / "project", read_manifest(tmp_path / "project").sources) as program:
        assert program.warnings == ""
        verify_compiled(program, PROGRAM).raise_if_failed()


def test_idle_words_spare_the_products_of_addresses(tmp_path: Path) -> None:
    lanes = {"mm": "i 3, j 5, k 7", "act": "i 3, j 5", "add": "n 2"}
    schedule = resident(scheduled(PROGRAM, {"mm": "k i j"}, lanes).schedule)
    design = so.write(PROGRAM, schedule, tmp_path / "project")
    assert "static int16_t B_kept[40][60];" in design.text("layer.cpp")  # 12 words for 11
    assert so.verify(tmp_path / "project").passed
    found = so.evaluate(so.dataflow(PROGRAM), schedule, Target.named("u280"))
    assert found.resources.storages["B"].words == 6 * 12
    memories = {memory.name: memory for memory in found.network.memories}
    pipeline = next(p for p in found.network.pipelines if p.name == "mm")
    assert not any(m.extent == 12 for m in address_multipliers(pipeline, memories))
    tight = {**memories, "B": replace(memories["B"], place=Place.ARGUMENT)}
    assert any(m.extent == 11 for m in address_multipliers(pipeline, tight))
    assert launch_cycles(found.network) == 6 * 11 * -(-16 * 35 // 64) + 5


def test_later_calls_keep_what_the_first_one_filled(tmp_path: Path) -> None:
    so.write(PROGRAM, resident(ON_CHIP), tmp_path / "project")
    bench = tmp_path / "project/testbench.cpp"
    text = bench.read_text()
    call = re.search(r"^ +layer\(.*\);\n", text, re.MULTILINE)
    assert call is not None
    wiped = "    std::memset(static_cast<void *>(words_B), 0, sizeof(words_B));\n"
    bench.write_text(text.replace(call[0], call[0] + wiped + call[0]))
    assert so.verify(tmp_path / "project", allow_edits=True).passed


@pytest.mark.parametrize("block", [RamBlock.URAM, RamBlock.BRAM, RamBlock.LUTRAM])
def test_counts_are_those_of_the_emitted_pragmas(block: RamBlock) -> None:
    graph, device = so.dataflow(PROGRAM), Target.named("u280")
    schedule = resident(ON_CHIP, block=block)
    kernel = so.emit(graph, schedule).text("layer.cpp")
    factors = re.findall(r"array_reshape variable=B_kept type=cyclic factor=(\d+) dim=", kernel)
    assert f"bind_storage variable=B_kept type=ram_2p impl={block}" in kernel
    lanes = prod(map(int, factors))
    assert lanes == 7 * 27
    words, bits = -(-40 // 7) * 54 // 27, 16 * lanes
    found = so.evaluate(graph, schedule, device)
    own = found.resources.storages["B"]
    assert (own.words, own.bits, own.banks) == (words, bits, 1)
    expected = {
        RamBlock.URAM: (0, -(-bits // 72)),
        RamBlock.BRAM: (-(-bits // 36), 0),
        RamBlock.LUTRAM: (0, 0),
    }
    assert (own.bram18, own.uram) == expected[block]
    port = 2  # of words of 64 bits
    used = found.resources.resident["B"]
    assert (used.bram18, used.uram) == (own.bram18 + port, own.uram)
    assert used.luts >= (bits if block is RamBlock.LUTRAM else 0)


def test_arrays_read_at_two_places_are_split() -> None:
    graph = so.dataflow(PROGRAM)
    found = so.evaluate(graph, resident(ON_CHIP))
    memories = {memory.name: memory for memory in found.network.memories}
    assert memories["G"].place is Place.RESIDENT
    assert not memories["G"].in_words
    assert "array_partition variable=G_kept" in so.emit(graph, resident(ON_CHIP)).text("layer.cpp")
    assert memories["s"].place is Place.ARGUMENT


def test_residents_are_in_all_that_a_design_takes() -> None:
    graph = so.dataflow(PROGRAM)
    before, after = so.evaluate(graph, ON_CHIP), so.evaluate(graph, resident(ON_CHIP))
    kept = after.resources.resident.values()
    assert after.resources.total.bram18 == before.resources.total.bram18 + sum(
        used.bram18 for used in kept
    )
    assert after.trace.cycles == before.trace.cycles
    assert after.resources.arguments.bram18 <= before.resources.arguments.bram18
    lanes, words = 7 * 27, 6 * 2
    assert launch_cycles(after.network) == words * -(-16 * lanes // 64) + 5
    assert "once" in after.headline.launch
    assert before.headline.launch_cycles == 0


def test_blocks_are_kept_in_schedules() -> None:
    schedule = resident(ON_CHIP, block=RamBlock.URAM)
    assert read_schedule_json(write_schedule_json(schedule), "schedule.json") == schedule


def test_written_arrays_and_tapa_are_refused() -> None:
    graph = so.dataflow(PROGRAM)
    with pytest.raises(LegalityError, match="E334 D can't be resident"):
        so.put_outside(graph, ON_CHIP, so.plan_ports(graph, ports={"D": "resident"}))
    with pytest.raises(CodegenError, match="E607"):
        so.emit(graph, resident(ON_CHIP, "m_axi"), backend="tapa")
