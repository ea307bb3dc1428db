"""All rewrites on all graphs: what a schedule names keeps what its graph computes."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.formats.schedule_json import read_schedule_json, write_schedule_json
from streamopt.ir.schedule import Schedule
from streamopt.transforms.apply import apply
from streamopt.transforms.canonicalize import canonicalize
from streamopt.transforms.rewrites import REWRITES, rewritten
from tests.support.programs.of_graphs import check_same
from tests.support.random.graphs import random_program
from tests.support.random.seeds import seeded

GRAPHS = Path(__file__).parents[3] / "graphs"
BORDERS = ("fold_borders", "fold_copies", "private_arguments")
PADDING = ("fold_padding", "fold_copies", "private_arguments")
# program, names, (nodes, private arguments) after the rewrites
CHANGED = {
    "cnns/dwsconv_block": (PADDING, 3, 0),
    "cnns/residual_block": (BORDERS, 5, 1),
    "mlps/autoencoder": (BORDERS, 12, 0),
    "mlps/residual_mlp": (BORDERS, 9, 0),
    "polybench/atax": (BORDERS, 2, 1),
    "polybench/gesummv": (BORDERS, 3, 1),
    "transformers/feed_forward": (BORDERS, 4, 0),
    "transformers/multi_head_attention": (PADDING, 16, 2),
}
PROGRAMS = sorted(f"{path.parent.name}/{path.stem}" for path in GRAPHS.glob("*/*.json"))


@pytest.mark.parametrize("program", sorted(CHANGED))
def test_changed_programs_compute_the_same(program: str) -> None:
    names, nodes, copies = CHANGED[program]
    source = so.load(GRAPHS / f"{program}.json")
    graph = rewritten(so.dataflow(source), names)
    assert (len(graph.nodes), len(graph.copies)) == (nodes, copies)
    assert rewritten(graph, names) == graph
    if max(node.iterations for node in graph.nodes) < 5_000_000:
        check_same(source, graph)


@pytest.mark.parametrize("program", sorted({*PROGRAMS} - {*CHANGED}))
def test_other_programs_stay_as_they_are(program: str) -> None:
    graph = so.dataflow(so.load(GRAPHS / f"{program}.json"))
    assert rewritten(graph, tuple(REWRITES)) is graph


@pytest.mark.parametrize("case", range(60))
def test_random_programs_compute_the_same(case: int) -> None:
    rng = seeded(case)
    source = random_program(rng, nodes=rng.randint(4, 9), max_extent=5)
    graph = canonicalize(source)
    names = rng.choice([(name,) for name in REWRITES] + [BORDERS, PADDING])
    check_same(source, rewritten(graph, names))


def test_unknown_rewrites_are_refused_by_name() -> None:
    graph = so.dataflow(so.load(GRAPHS / "polybench" / "atax.json"))
    schedule = Schedule(graph.name, (), (), ("fold_copies", "fold_everything"))
    with pytest.raises(LegalityError, match=r"E321.*'fold_everything'") as raised:
        apply(graph, schedule)
    assert "private_arguments" in str(raised.value)


def test_schedules_are_written_with_their_rewrites() -> None:
    schedule = Schedule("atax", (), (), PADDING)
    text = write_schedule_json(schedule)
    assert read_schedule_json(text, "schedule.json") == schedule
    assert "rewrites" not in write_schedule_json(Schedule("atax", (), ()))
