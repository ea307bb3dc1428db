"""The best partition over regions is that of every partition tried, and none is refused wrongly."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import pytest

from streamopt.strategies.regions.partition import (
    DesignParts,
    DesignPiece,
    Link,
    RegionPartition,
    partition,
    share_of,
    steps_of,
    used_of,
    wires_of,
)
from streamopt.target.resources import Resources


def some_parts(random: Random) -> DesignParts:
    count, regions = random.randint(2, 6), random.choice((2, 3))
    pieces = tuple(
        DesignPiece(
            Resources(dsps=random.randint(0, 40), luts=random.randint(1, 900)),
            random.randrange(regions) if random.random() < 0.15 else None,
        )
        for _ in range(count)
    )
    links: list[Link] = []
    for start in range(count - 1):
        ends = sorted(random.sample(range(start + 1, count), random.randint(0, count - start - 1)))
        if ends:
            links.append(Link(start, tuple(ends[:2]), random.choice((34, 68, 544))))
    free = [at for at, piece in enumerate(pieces) if piece.slr is None]
    tied = tuple(random.sample(free, 2)) if len(free) > 2 and random.random() < 0.4 else ()
    slack = random.choice((0.8, 1.05, 1.4)) / regions
    whole = sum((piece.takes for piece in pieces), Resources())
    limits = tuple(
        Resources(
            dsps=int(whole.dsps * slack * random.uniform(0.8, 1.2)) + 1,
            luts=int(whole.luts * slack * random.uniform(0.8, 1.2)),
        )
        for _ in range(regions)
    )
    wires = random.choice((None, 100, 700))
    return DesignParts(pieces, tuple(links), limits, (tied,) if tied else (), wires)  # pyright: ignore[reportArgumentType]


def allowed(parts: DesignParts) -> list[tuple[int, ...]]:
    found: list[tuple[int, ...]] = []
    for slrs in product(range(len(parts.limits)), repeat=len(parts.pieces)):
        pairs = zip(parts.pieces, slrs, strict=True)
        at_home = all(piece.slr in (None, slr) for piece, slr in pairs)
        if at_home and all(slrs[one] == slrs[other] for one, other in parts.together):
            found.append(slrs)
    return found


def cost(parts: DesignParts, slrs: tuple[int, ...]) -> tuple[int, int]:
    return steps_of(parts, slrs), sum(wires_of(parts, slrs))


@pytest.mark.parametrize("seed", range(60))
def test_partition_is_the_best_of_all(seed: int) -> None:
    parts = some_parts(Random(seed))
    every = allowed(parts)
    within = [slrs for slrs in every if share_of(parts, slrs) <= 1.0]
    found, rough = partition(parts), partition(parts, is_rough=True)
    assert {found.slrs, rough.slrs} <= {*every}
    assert (found.fits, rough.fits) == (bool(within), bool(within))
    assert found.is_proved
    if within:
        assert cost(parts, found.slrs) == min(cost(parts, slrs) for slrs in within)
    else:
        assert found.share == pytest.approx(min(share_of(parts, slrs) for slrs in every))
        assert rough.share <= 1.02 * found.share


def test_what_fits_in_all_but_in_no_region_is_refused_with_its_share() -> None:
    limit = Resources(dsps=100, luts=1000)
    piece = DesignPiece(Resources(dsps=60, luts=10))
    parts = DesignParts((piece,) * 3, (), (limit, limit))
    assert partition(parts) == RegionPartition((0, 0, 1), 1.2, is_proved=True) or partition(
        parts
    ).share == pytest.approx(1.2)
    assert sum(used.dsps for used in used_of(parts, partition(parts).slrs)) == 180
    assert partition(replace(parts, limits=(limit, limit, limit))).fits


def test_links_to_one_region_share_wires() -> None:
    limit = Resources(dsps=10)
    pieces = tuple(DesignPiece(Resources(dsps=4), slr) for slr in (0, 1, 1))
    parts = DesignParts(pieces, (Link(0, (1, 2), 34),), (limit, limit))
    assert wires_of(parts, partition(parts).slrs) == (34,)
