"""Random affine C functions that update arrays in place: triangles, stencils, loops down, sums."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

SIZE, MARGIN = 6, 2
_LOOPS = "kij"
_EXTENT = SIZE + 2 * MARGIN


def random_updates(rng: random.Random) -> str:
    """Return parameters and body of a C function, as `tests.support.programs.c_nests` takes it."""
    writer = _Writer(rng)
    nests = [writer.nest() for _ in range(rng.choice((1, 1, 2)))]
    arrays = f"double A[{_EXTENT}][{_EXTENT}], double B[{_EXTENT}][{_EXTENT}], "
    arrays += f"double x[{_EXTENT}], double y[{_EXTENT}], double s[1]"
    return f"({arrays}) {{ {' '.join(nests)} }}"


@dataclass(slots=True)
class _Writer:
    rng: random.Random
    names: list[str] = field(default_factory=list[str])
    number: int = 0

    def nest(self) -> str:
        """Return a nest of one to three loops."""
        return self._loop(self.rng.choice((1, 2, 2, 2)))

    def _loop(self, below: int) -> str:
        name = f"{_LOOPS[len(self.names)]}{self.number}"
        self.number += 1
        head = self._head(name)
        self.names.append(name)
        items = [self._statement() for _ in range(self.rng.choice((0, 1, 1)))] if below else []
        if below:
            items += [self._loop(below - 1) for _ in range(self.rng.choice((1, 1, 2)))]
            items += [self._statement() for _ in range(self.rng.choice((0, 0, 1)))]
        else:
            items += [self._statement() for _ in range(self.rng.choice((1, 1, 2)))]
        self.names.pop()
        return f"{head} {{ {' '.join(items)} }}"

    def _head(self, name: str) -> str:
        outer = self.rng.choice(self.names) if self.names and self.rng.random() < 0.5 else ""
        low, high = "0", str(SIZE)
        if outer and self.rng.random() < 0.5:
            low = self.rng.choice((outer, f"{outer} + 1"))
        elif outer:
            high = self.rng.choice((outer, f"{outer} + 1"))
        if self.rng.random() < 0.15:
            return f"for (int {name} = {high} - 1; {name} >= {low}; {name}--)"
        return f"for (int {name} = {low}; {name} < {high}; {name}++)"

    def _statement(self) -> str:
        target = self._element()
        terms = [self._element() for _ in range(self.rng.choice((1, 2, 2, 3)))]
        kind = self.rng.random()
        if kind < 0.3:
            text = f"{target} {self.rng.choice(('+=', '-='))} {' * '.join(terms)};"
        elif kind < 0.4:
            text = f"{target} = fmax({target}, {terms[0]});"
        elif kind < 0.5:
            text = f"{target} = {target} / {terms[0]};"
        else:
            text = f"{target} = {' + '.join(terms)} + {self.rng.randrange(9)};"
        if len(self.names) > 1 and self.rng.random() < 0.15:
            one, other = self.rng.sample(self.names, 2)
            return f"if ({one} {self.rng.choice(('<', '<=', '==', '!='))} {other}) {text}"
        if self.rng.random() < 0.05:
            return f"if ({self._element()} > {self._element()}) {text}"
        return text

    def _element(self) -> str:
        array = self.rng.choice("AAABxxys")
        count = {"A": 2, "B": 2, "x": 1, "y": 1, "s": 0}[array]
        places = "".join(f"[{self._subscript()}]" for _ in range(count))
        return f"{array}{places or '[0]'}"

    def _subscript(self) -> str:
        name = self.rng.choice(self.names)
        shift = MARGIN + self.rng.choice((0, 0, 0, -1, 1, 2, -2))
        if self.rng.random() < 0.1:
            return f"{SIZE - 1} - {name} + {MARGIN}"
        return f"{name} + {shift}"
