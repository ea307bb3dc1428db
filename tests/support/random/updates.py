"""Random affine C functions that update arrays in place: triangles, stencils, sums, guards."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import random

SIZE, MARGIN = 6, 2
_LOOPS = "kij"
_EXTENT = 2 * SIZE + 2 * MARGIN
ARRAYS = {
    "A": (_EXTENT, _EXTENT),
    "B": (_EXTENT, _EXTENT),
    "x": (_EXTENT,),
    "y": (_EXTENT,),
    "s": (1,),
}
"""Parameters and their extents."""


def random_updates(rng: random.Random, c_type: str = "double") -> str:
    """Return parameters and body of a C function, as `tests.support.programs.c_nests` takes it.

    Parameters
    ----------
    c_type
        Of all arrays: a floating-point type, or an unsigned one, whose sums are exact in any order.
    """
    writer = _Writer(rng, is_whole=c_type not in ("float", "double"))
    nests = [writer.nest() for _ in range(rng.choice((1, 1, 2, 3)))]
    arrays = (
        f"{c_type} {name}{''.join(f'[{extent}]' for extent in shape)}"
        for name, shape in ARRAYS.items()
    )
    return f"({', '.join(arrays)}) {{ {' '.join(nests)} }}"


@dataclass(slots=True)
class _Writer:
    rng: random.Random
    is_whole: bool = False
    names: list[str] = field(default_factory=list[str])
    number: int = 0

    def nest(self) -> str:
        """Return a nest of one to three loops, or some steps of a stencil."""
        if self.rng.random() < 0.2:
            return self._stencil()
        return self._loop(self.rng.choice((1, 2, 2, 2)))

    def _stencil(self) -> str:
        """Return steps of a stencil in place, or from one array to another and back."""
        steps, low = self.rng.choice((2, 3, 5)), self.rng.choice((1, 2))
        t, self.number = f"t{self.number}", self.number + 1
        pairs = self.rng.choice(((("A", "A"),), (("x", "x"),), (("A", "B"), ("B", "A"))))
        sweeps = " ".join(self._sweep(target, source, low) for target, source in pairs)
        return f"for (int {t} = 0; {t} < {steps}; {t}++) {{ {sweeps} }}"

    def _sweep(self, target: str, source: str, low: int) -> str:
        count = len(ARRAYS[target])
        names = [f"{'ij'[at]}{self.number + at}" for at in range(count)]
        self.number += count
        near = [(0,) * count, *(self._offset(count) for _ in range(self.rng.choice((1, 2, 4))))]
        terms = [source + "".join(map(_shifted, names, own)) for own in near]
        ends = [self.rng.choice((SIZE, SIZE + 1)) for _ in names]
        heads = [
            f"for (int {name} = {low}; {name} < {end}; {name}++) {{"
            for name, end in zip(names, ends, strict=True)
        ]
        value = f"({' + '.join(terms)}){'' if self.is_whole else ' * 0.25'}"
        place = target + "".join(f"[{name}]" for name in names)
        return f"{' '.join(heads)} {place} = {value}; {'}' * count}"

    def _offset(self, count: int) -> tuple[int, ...]:
        return tuple(self.rng.choice((-1, 0, 1)) for _ in range(count))

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
        elif kind < 0.4 and self.is_whole:
            text = f"{target} = {target} > {terms[0]} ? {target} : {terms[0]};"
        elif kind < 0.4:
            text = f"{target} = fmax({target}, {terms[0]});"
        elif kind < 0.5 and not self.is_whole:
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
        if len(self.names) > 1 and self.rng.random() < 0.08:
            one, other = self.rng.sample(self.names, 2)
            return self.rng.choice((f"{one} + {other}", f"{one} - {other} + {SIZE}"))
        return f"{name} + {shift}"


def _shifted(name: str, offset: int) -> str:
    return f"[{name} + {offset}]" if offset else f"[{name}]"
