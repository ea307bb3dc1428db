"""JSON documents one step away from good ones."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any

from tests.fuzz.text_mutations import mutated_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["mutated_document"]

_VALUES: list[Any] = [
    None, True, False, "", "i", "A[i][j]", " ", "é\u202e", 0, -1, 1, 2, 3, 7, 64, 2**31, 2**63,
    10**12, 10**40, 0.5, 1e308, float("inf"), float("nan"), [], {}, [[]], [1, 2], ["i"], {"i": 4},
]  # fmt: skip


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Return pairs (container, key) of all that a document holds."""
    found: list[tuple[Any, Any]] = []
    whole: Any = value.items() if hasattr(value, "items") else enumerate(value)
    pairs: list[tuple[Any, Any]] = [*whole]
    for key, inner in pairs:
        found.append((value, key))
        if isinstance(inner, dict | list):
            found += _places(inner)
    return found


def _delete(inside: Any, key: Any, _: Any, rng: Random) -> None:
    del rng, inside[key]


def _strange(inside: Any, key: Any, _: Any, rng: Random) -> None:
    inside[key] = deepcopy(rng.choice(_VALUES))


def _copy(inside: Any, key: Any, other: Any, rng: Random) -> None:
    del rng
    inside[key] = deepcopy(other)


def _rename(inside: Any, key: Any, other: Any, rng: Random) -> None:
    if isinstance(key, str):
        inside[rng.choice([*inside, "x", "", "loops", "2"])] = inside.pop(key)
    else:
        inside[key:key] = [deepcopy(other)] * rng.choice((1, 2, 200))


def _edit(inside: Any, key: Any, _: Any, rng: Random) -> None:
    value = inside[key]
    match value:
        case bool() | None:
            inside[key] = 1 if value else "true"
        case str():
            inside[key] = mutated_text(value.encode(), b"i + j", rng).decode(errors="replace")
        case int() | float():
            inside[key] = rng.choice((-value, value + 1, value * 2, value * 1000, str(value), 0))
        case _:
            inside[key] = [value]


_CHANGES: Sequence[Callable[[Any, Any, Any, Random], None]] = (
    _delete, _strange, _copy, _copy, _rename, _edit, _edit, _edit,
)  # fmt: skip


def mutated_document(data: bytes, other: bytes, rng: Random) -> bytes:
    """Change values, keys, types and places of a document; or mutate its text."""
    if rng.random() < 0.2:
        return mutated_text(data, other, rng)
    document = json.loads(data)
    for _ in range(rng.choice((1, 1, 1, 1, 3))):
        places = _places(document)
        inside, key = rng.choice(places)
        values = [container[at] for container, at in places]
        alike = [value for value in values if type(value) is type(inside[key])]
        rng.choice(_CHANGES)(inside, key, rng.choice(rng.choice((values, alike, alike))), rng)
    if rng.random() < 0.02:
        document = rng.choice(_VALUES)
    return json.dumps(document).encode()
