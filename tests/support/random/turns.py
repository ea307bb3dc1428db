"""Random trees of loops around pipelines that take turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.ir.affine import Affine
from streamopt.ir.network import Turn, TurnLoop
from streamopt.ir.stepping.steps import StepLoop
from tests.support.networks.in_turns import it

if TYPE_CHECKING:
    from collections.abc import Sequence
    from random import Random

    from streamopt.ir.network import TurnItem


def random_loop(random: Random, name: str, around: Sequence[str]) -> StepLoop:
    def bound(constant: int) -> Affine:
        found = Affine.of(constant)
        for other in around:
            found += it(other).scaled(random.choice((0, 0, 1, -1)))
        return found.floordiv(random.choice((1, 1, 2, 3)))

    lower = tuple(bound(random.randrange(-2, 3)) for _ in range(random.choice((1, 1, 2))))
    upper = tuple(bound(random.randrange(1, 7)) for _ in range(random.choice((1, 1, 2))))
    return StepLoop(name, (*lower, Affine()), upper, 0, 20)


def random_items(random: Random, names: list[str], around: tuple[str, ...]) -> tuple[TurnItem, ...]:
    items: list[TurnItem] = []
    for _ in range(random.randrange(1, 3)):
        if len(around) < 3 and random.random() < 0.6:
            names.append(f"l{len(names)}")
            loop = random_loop(random, names[-1], around)
            items.append(TurnLoop(loop, random_items(random, names, (*around, loop.name))))
            continue
        inner, own = around, list[StepLoop]()
        for _ in range(random.randrange(3)):
            names.append(f"l{len(names)}")
            own.append(random_loop(random, names[-1], inner))
            inner = (*inner, names[-1])
        names.append(f"p{len(names)}")
        least, last = random.randrange(1, 9), random.choice((1, 1, random.randrange(1, 14)))
        turn = Turn(names[-1], tuple(own), least, last_cycles=last)
        items.append(turn)
    return tuple(items)
