"""Array partition: equation (1), the SYRK example of the paper, and which bank is known."""

from __future__ import annotations

from random import Random

import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.strategies.scalehls.partition import (
    DimensionPartition,
    Fashion,
    addresses,
    array_partition,
    bank_of,
    metric,
)

ROW, COLUMN = Affine.iterator("i"), Affine.iterator("j")


def test_syrk_example_of_the_paper() -> None:
    # C[i][j] and C[i + 1][j], with i in steps of 2: P = 2 / 2 in the first dimension
    found = [*addresses(Access("C", (ROW, COLUMN)), {"i": 2, "j": 1}, {"i": 2}).values()]
    assert metric([address[0].offset for address in found]) == 1.0
    assert array_partition(found)[0] == DimensionPartition(Fashion.CYCLIC, 2)


def test_sparse_accesses_get_blocks() -> None:
    found = [*addresses(Access("C", (ROW.scaled(3),)), {"i": 4}, {"i": 4}).values()]
    assert metric([0, 3, 6, 9]) == pytest.approx(0.4)
    assert array_partition(found) == (DimensionPartition(Fashion.BLOCK, 4),)
    assert bank_of(found[1], array_partition(found)) is None


def test_bank_is_known_where_tiles_move_by_whole_rounds() -> None:
    lanes = addresses(Access("A", (ROW, COLUMN)), {"i": 4, "j": 2}, {"i": 4, "j": 2})
    split = array_partition([*lanes.values()])
    assert [bank_of(address, split) for address in lanes.values()] == [*range(8)]
    window = addresses(Access("A", (ROW + COLUMN,)), {"i": 4, "j": 1}, {"i": 4})
    wide = array_partition([*window.values()])
    assert wide == (DimensionPartition(Fashion.CYCLIC, 4),)
    assert {bank_of(address, wide) for address in window.values()} == {None}


def test_accesses_that_move_apart_are_counted_apart() -> None:
    ours = addresses(Access("A", (ROW,)), {"i": 4, "j": 2}, {"i": 4})
    theirs = addresses(Access("A", (COLUMN,)), {"i": 4, "j": 2}, {"j": 2})
    split = array_partition([*ours.values(), *theirs.values()])
    assert split == (DimensionPartition(Fashion.CYCLIC, 4),)


@pytest.mark.parametrize("seed", range(30))
def test_places_with_equal_moving_parts_have_a_constant_distance(seed: int) -> None:
    random = Random(seed)
    tiles, trips = {"i": random.choice([1, 2, 4, 6]), "j": random.choice([1, 3, 4])}, 3
    value = _subscript(random)
    found = addresses(Access("A", (value,)), tiles, tiles)
    known: dict[str, list[tuple[tuple[int, ...], int, int]]] = {}
    for lane, (place,) in found.items():
        known.setdefault(place.moving, []).append((lane, place.offset, place.step))
    for members in known.values():
        for at in ((x, y) for x in range(trips) for y in range(trips)):
            bases = {_at(value, tiles, at, lane) - offset for lane, offset, _ in members}
            assert len(bases) == 1
            step = members[0][2]
            assert bases == {0} if step == 0 else next(iter(bases)) % step == 0


def _subscript(random: Random) -> Affine:
    linear = ROW.scaled(random.choice([1, 2, 3])) + COLUMN.scaled(random.choice([0, 1, 4]))
    linear += Affine.of(random.randrange(5))
    shape = random.randrange(4)
    if shape == 0:
        return linear
    if shape == 1:
        return linear.floordiv(random.choice([2, 4, 12]))
    if shape == 2:
        return linear.mod(random.choice([2, 4, 12])) + ROW.scaled(2)
    return linear.floordiv(4).scaled(3) + linear.mod(4)


def _at(value: Affine, tiles: dict[str, int], tile: tuple[int, ...], lane: tuple[int, ...]) -> int:
    names = tuple(tiles)
    point = {n: tiles[n] * t + c for n, t, c in zip(names, tile, lane, strict=True)}
    return value.evaluate(point)
