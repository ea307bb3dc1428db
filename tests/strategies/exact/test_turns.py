"""Interleaved searches: shares of the work, the penalty without improvement, and the end."""

from collections.abc import Iterator

from streamopt.strategies.exact.turns import take_turns
from streamopt.work import spend


class _Known:
    """A known value that searches improve, and the work of each."""

    def __init__(self, most: float) -> None:
        self.value = 0
        self.worked: dict[str, float] = dict.fromkeys(
            ("short", "long", "improving", "stalled", "other"), 0.0
        )
        self._most = most

    def search(self, name: str, work: float, *, improves: bool, steps: int = 1) -> Iterator[bool]:
        while sum(self.worked.values()) < self._most:
            for step in range(1, steps + 1):
                self.worked[name] += work
                spend(work)
                self.value += improves and step == steps
                yield step == steps


def test_improving_searches_work_alike_whatever_their_steps() -> None:
    known = _Known(400.0)
    searches = (
        known.search("short", 1.0, improves=True, steps=5),
        known.search("long", 10.0, improves=True),
    )
    take_turns(searches, lambda: known.value)
    assert abs(known.worked["short"] - known.worked["long"]) <= 10.0


def test_a_stalled_search_gets_ever_less() -> None:
    known = _Known(1000.0)
    searches = (
        known.search("improving", 1.0, improves=True),
        known.search("stalled", 1.0, improves=False),
    )
    take_turns(searches, lambda: known.value)
    assert known.worked["stalled"] <= 10.0


def test_the_others_go_on_when_one_has_ended() -> None:
    known = _Known(50.0)
    take_turns(
        (iter([False, True]), known.search("other", 1.0, improves=False)), lambda: known.value
    )
    assert known.worked["other"] >= 50.0


def test_first_weights_hold_until_a_round_ends() -> None:
    worked = {"light": 0, "heavy": 0}

    def search(name: str) -> Iterator[bool]:
        while sum(worked.values()) < 100:
            worked[name] += 1
            spend(1.0)
            yield False

    take_turns((search("light"), search("heavy")), lambda: 0, (1.0, 4.0))
    assert worked == {"light": 80, "heavy": 20}


def test_a_round_that_would_take_long_waits_until_the_others_have_worked_as_much() -> None:
    worked = {"quick": 0, "slow": 0}
    begun: list[int] = []

    def quick() -> Iterator[float]:
        while worked["quick"] < 100:
            worked["quick"] += 1
            spend(1.0)
            yield 0.0

    def slow() -> Iterator[float]:
        for step in range(1, 41):
            worked["slow"] += 1
            spend(1.0)
            begun.append(worked["quick"])
            yield step / 40

    take_turns((quick(), slow()), lambda: 0)
    assert begun[0] <= 1
    assert begun[1] >= 39
    assert begun[-1] <= 41
