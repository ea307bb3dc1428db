"""Ways that take turns: shares of the work, what useless rounds cost, and the end."""

from collections.abc import Iterator

from streamopt.strategies.exact.turns import take_turns
from streamopt.work import spend


class _Known:
    """What ways find, and how much each has worked."""

    def __init__(self, most: float) -> None:
        self.value = 0
        self.worked: dict[str, float] = dict.fromkeys(
            ("short", "long", "useful", "useless", "other"), 0.0
        )
        self._most = most

    def way(self, name: str, work: float, *, helps: bool, steps: int = 1) -> Iterator[bool]:
        while sum(self.worked.values()) < self._most:
            for step in range(1, steps + 1):
                self.worked[name] += work
                spend(work)
                self.value += helps and step == steps
                yield step == steps


def test_useful_ways_work_alike_whatever_their_steps() -> None:
    known = _Known(400.0)
    ways = known.way("short", 1.0, helps=True, steps=5), known.way("long", 10.0, helps=True)
    take_turns(ways, lambda: known.value)
    assert abs(known.worked["short"] - known.worked["long"]) <= 10.0


def test_a_useless_way_gets_ever_less() -> None:
    known = _Known(1000.0)
    ways = known.way("useful", 1.0, helps=True), known.way("useless", 1.0, helps=False)
    take_turns(ways, lambda: known.value)
    assert known.worked["useless"] <= 10.0


def test_the_others_go_on_when_one_has_ended() -> None:
    known = _Known(50.0)
    take_turns((iter([False, True]), known.way("other", 1.0, helps=False)), lambda: known.value)
    assert known.worked["other"] >= 50.0
