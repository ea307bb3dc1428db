"""Places of boxes and wires: wires go down, and nothing lies on anything."""

from __future__ import annotations

from itertools import combinations, pairwise
from random import Random

import pytest

from streamopt.report.graph.layout import Layout, Rectangle, Wire, layout

SIZE = (120.0, 40.0)


def check_nothing_overlaps(found: Layout) -> None:
    places = [*found.boxes.values(), *found.labels.values()]
    for one, other in combinations(places, 2):
        assert not overlap(one, other), (one, other)
    for place in places:
        left, top, right, bottom = place.sides
        assert min(left, top) >= 0
        assert right <= found.width
        assert bottom <= found.height


def overlap(one: Rectangle, other: Rectangle) -> bool:
    apart_x = abs(one.x - other.x) - (one.width + other.width) / 2
    return apart_x < 1 and abs(one.y - other.y) < (one.height + other.height) / 2 + 1


def random_dag(random: Random, boxes: int, wires: int) -> tuple[list[str], list[Wire]]:
    names = [f"n{place}" for place in range(boxes)]
    pairs = [sorted(random.sample(range(boxes), 2)) for _ in range(wires)]
    label = (90.0, 30.0)
    return names, [Wire(f"e{at}", names[a], names[b], label) for at, (a, b) in enumerate(pairs)]


@pytest.mark.parametrize("seed", range(20))
def test_nothing_lies_on_anything(seed: int) -> None:
    random = Random(seed)
    names, wires = random_dag(random, random.randint(2, 12), random.randrange(18))
    found = layout(dict.fromkeys(names, SIZE), wires)
    assert set(found.boxes) == set(names)
    assert set(found.labels) == {wire.name for wire in wires}
    check_nothing_overlaps(found)
    for wire in wires:
        points = [point for run in found.routes[wire.name] for point in run]
        assert all(lower[1] >= upper[1] for upper, lower in pairwise(points))
        assert points[0][1] == pytest.approx(found.boxes[wire.start].sides[3])
        assert points[-1][1] == pytest.approx(found.boxes[wire.end].sides[1])


@pytest.mark.parametrize("seed", range(5))
def test_upright_pieces_pass_beside_boxes_and_labels(seed: int) -> None:
    names, wires = random_dag(Random(seed), 9, 14)
    found = layout(dict.fromkeys(names, SIZE), wires)
    places = [*found.boxes.values(), *found.labels.values()]
    for route in found.routes.values():
        for run in route:
            for (x, top), (x1, bottom) in zip(run[::2], run[1::2], strict=True):
                assert x == x1
                piece = Rectangle(x, (top + bottom) / 2, 0.0, bottom - top - 4)
                assert not any(overlap(piece, place) for place in places)


def test_a_diamond_has_no_crossing_and_is_even() -> None:
    wires = [Wire("a", "top", "left"), Wire("b", "top", "right")]
    wires += [Wire("c", "left", "end"), Wire("d", "right", "end")]
    found = layout(dict.fromkeys(("top", "left", "right", "end"), SIZE), wires).boxes
    assert found["left"].y == found["right"].y
    middle = (found["left"].x + found["right"].x) / 2
    assert found["top"].x == pytest.approx(middle)
    assert found["end"].x == pytest.approx(middle)


def test_a_long_wire_is_straight() -> None:
    chain = [Wire(f"e{at}", f"n{at}", f"n{at + 1}") for at in range(5)]
    found = layout({f"n{at}": SIZE for at in range(6)}, [*chain, Wire("long", "n0", "n5")])
    (run,) = found.routes["long"]
    assert len({round(x, 3) for x, _ in run[2:-2]}) == 1


def test_what_takes_nothing_stands_at_its_reader() -> None:
    wires = [Wire("a", "n0", "n1"), Wire("b", "n1", "n2"), Wire("w", "weight", "n2")]
    found = layout(dict.fromkeys(("n0", "n1", "n2", "weight"), SIZE), wires).boxes
    assert found["weight"].y == found["n1"].y


@pytest.mark.parametrize("boxes", [0, 1])
def test_few_boxes(boxes: int) -> None:
    found = layout({f"n{at}": SIZE for at in range(boxes)}, [])
    assert len(found.boxes) == boxes
    check_nothing_overlaps(found)
