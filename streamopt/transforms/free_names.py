"""Names that nothing else has, and names without the numbers that made them so."""

import re
from collections.abc import Iterable

_JOINTS = re.compile(r"_{2,}")
_NUMBERED = re.compile(r"(.*[A-Za-z0-9])_[0-9]+")


class FreeNames:
    """Hands out each name once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self.taken = {*taken}
        self._numbers: dict[str, int] = {}

    def fresh(self, wanted: str, base: str = "", first: int = 2) -> str:
        """Return the wanted name, or else a base with the first number that makes it new.

        Two underscores in a row, as ``f"{name}_out"`` has for ``class_``, become one.

        Parameters
        ----------
        base
            What the number follows: the wanted name, if not given.
        first
            The least number.

        Examples
        --------
        >>> names = FreeNames(["load_A"])
        >>> names.fresh("load_B"), names.fresh("load_A"), names.fresh("load_A")
        ('load_B', 'load_A_2', 'load_A_3')
        """
        base = base or wanted
        name, number = _JOINTS.sub("_", wanted), self._numbers.get(base, first)
        while name in self.taken:
            name, number = _JOINTS.sub("_", f"{base}_{number}"), number + 1
        self._numbers[base] = number
        self.taken.add(name)
        return name


def numbered_stem(name: str) -> str:
    """Return a name without the number at its end: ``i`` for ``i_2``; itself if it has none."""
    found = _NUMBERED.fullmatch(name)
    return found[1] if found else name
