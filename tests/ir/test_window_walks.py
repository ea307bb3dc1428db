"""Elements that windows take of rows: in even distances, each once and in order."""

from __future__ import annotations

from itertools import product
from random import Random

import numpy as np
import pytest

from streamopt.ir.affine import Affine
from streamopt.ir.expression import Access
from streamopt.ir.window import Window, iterations_apart


def test_all_elements_fit_as_far_apart_as_divisors_of_loops_allow() -> None:
    random = Random(0)
    for _ in range(50):
        tiles = [random.choice([1, 2, 3, 4, 6, 12]) for _ in range(3)]
        elements = random.randint(1, 30)
        found = iterations_apart(elements, tiles)
        iterations = int(np.prod(tiles))
        assert found == 1 or elements * found <= iterations
        vectors = [np.array([tile, 1, tile]) for tile in tiles]
        assert iterations_apart(np.full(3, elements), vectors).tolist() == [
            found,
            1,
            found,
        ]


@pytest.mark.parametrize("seed", range(20))
def test_a_walk_takes_each_element_once(seed: int) -> None:
    random = Random(seed)
    names = random.sample(["w", "c", "o", "m"], 4)
    tiles = {"h": 3, **{name: random.choice([1, 2, 3, 4, 6]) for name in names}}
    shape = (random.choice([2, 4]), 6, 2 * tiles["w"])
    taken = Access("x", tuple(Affine.iterator(name) for name in "chw"))
    window = Window(taken, shape, 1, 4, frozenset(), counted_rows=2)
    walk = window.walk(tiles, dict.fromkeys(tiles, 1))
    found: list[tuple[int, ...]] = []
    times: list[int] = []
    for time, place in enumerate(product(*(range(tiles[name]) for name in names))):
        point = dict(zip(names, place, strict=True))
        if any(index.evaluate(point) for index in walk.at_first):
            continue
        for turn in range(walk.at_once):
            places = walk.places(Affine.of(turn))
            found.append(tuple(places[name].evaluate(point) for name, _ in walk.digits))
            times.append(time)
    order = [*product(*(range(extent) for _, extent in walk.digits))]
    assert found[: len(order)] == order
    assert all(rows >= 2 for rows, *_ in found[len(order) :])
    if walk.at_once == 1:
        assert {*np.diff(times).tolist()} <= {walk.apart}
