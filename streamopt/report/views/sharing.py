"""A document whose equal parts are kept once: designs of a front have many."""

from collections import Counter
from typing import Any, TypeAlias, cast

LEAST_LETTERS = 40
"""Of a part that is worth a reference."""
_Key: TypeAlias = tuple[Any, ...]


class _Parts:
    """Parts by what they hold: equal ones have one number."""

    def __init__(self) -> None:
        self._numbers: dict[_Key, int] = {}
        self.keys: list[_Key] = []
        self.letters: list[int] = []
        self.uses: Counter[int] = Counter()

    def number(self, value: Any) -> int:
        """Return the number of a part, after those of all that it holds."""
        key = self._key(value)
        if key not in self._numbers:
            self._numbers[key] = len(self.keys)
            self.keys.append(key)
            held = _held(key)
            flat = len(str(key[1])) if key[0] == "leaf" else len(key)
            self.letters.append(flat + sum(self.letters[each] for each in held))
            self.uses.update(held)
        return self._numbers[key]

    def _key(self, value: Any) -> _Key:
        if isinstance(value, dict):
            named = cast("dict[str, Any]", value)
            return ("dict", *((name, self.number(named[name])) for name in sorted(named)))
        if isinstance(value, list | tuple):
            held = cast("list[Any]", value)
            if any(isinstance(each, dict | list | tuple | str) for each in held):
                return ("list", *map(self.number, held))
            return ("leaf", tuple(held), *map(type, held))
        return ("leaf", value, type(value).__name__)  # 1 is neither 1.0 nor True


def _held(key: _Key) -> list[int]:
    if key[0] == "leaf":
        return []
    return [each[1] if key[0] == "dict" else each for each in key[1:]]


def shared(document: Any) -> dict[str, Any]:
    """Return a JSON document as ``parts`` and ``whole``, in which ``{"=": n}`` is part n.

    A part refers only to those before it.
    """
    found = _Parts()
    whole = found.number(document)
    places: dict[int, int] = {}
    parts: list[Any] = []

    def written(number: int) -> Any:
        if number in places:
            return {"=": places[number]}
        key = found.keys[number]
        if key[0] == "dict":
            return {name: written(each) for name, each in key[1:]}
        return key[1] if key[0] == "leaf" else [written(each) for each in key[1:]]

    for number, uses in sorted(found.uses.items()):
        if uses > 1 and found.letters[number] >= LEAST_LETTERS:
            parts.append(written(number))
            places[number] = len(parts) - 1
    return {"parts": parts, "whole": written(whole)}
