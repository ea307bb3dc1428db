"""Figure 4 of the paper: dataflow with a bypass, legalized in three ways."""

from __future__ import annotations

from itertools import pairwise

from streamopt.strategies.scalehls.dataflow import (
    Copy,
    levels_of,
    merged_stages,
    with_copies,
    without_copies,
)

PROCEDURES: tuple[str, ...] = ("proc0", "proc1", "proc2", "proc3", "proc4")
CHAIN = tuple(pairwise(PROCEDURES))
PATHS = (*CHAIN, ("proc0", "proc3"))
TIMES: dict[str, int] = dict.fromkeys(PROCEDURES, 1)
COPYING = dict.fromkeys(PATHS, 1)


def test_bypass_joins_the_stages_that_it_passes_by() -> None:
    found = without_copies(PROCEDURES, PATHS)
    assert found.stages == (
        (("proc0",),),
        (("proc1",), ("proc2",), ("proc3",)),
        (("proc4",),),
    )
    assert found.interval(TIMES, COPYING) == 3


def test_copies_keep_five_stages() -> None:
    found = with_copies(PROCEDURES, PATHS)
    assert found.copies == (Copy(("proc0", "proc3"), 1), Copy(("proc0", "proc3"), 2))
    assert len(found.stages) == 5
    assert found.interval(TIMES, COPYING) == 1


def test_granularity_of_two_makes_three_stages() -> None:
    found = merged_stages(with_copies(PROCEDURES, PATHS), 2)
    assert len(found.stages) == 3
    assert found.interval(TIMES, COPYING) == 2


def test_one_stage_takes_the_sum() -> None:
    assert merged_stages(with_copies(PROCEDURES, PATHS), 5).interval(TIMES, COPYING) == 5


def test_slow_copy_decides_the_interval() -> None:
    found = with_copies(PROCEDURES, PATHS)
    assert found.interval(TIMES, COPYING | {("proc0", "proc3"): 7}) == 7


def test_procedures_are_as_late_as_their_consumers_let_them() -> None:
    levels = levels_of(("a", "b", "late", "c"), (("a", "b"), ("b", "c"), ("late", "c")))
    assert levels == (("a",), ("b", "late"), ("c",))


def test_bypasses_that_overlap_join_all_that_they_pass_by() -> None:
    paths = (*CHAIN, ("proc0", "proc2"), ("proc1", "proc3"))
    found = without_copies(PROCEDURES, paths)
    assert [len(stage) for stage in found.stages] == [1, 3, 1]
