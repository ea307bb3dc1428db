"""Random small affine C functions, compiled and run by gcc: what restructuring is tried on.

Arrays of one to three dimensions and scalars, of three element types; nests that are perfect or
not, with triangular, shifted, falling, stepped and empty loops; temporaries, accumulators,
branches on iterators and on data, updates in place, partial writes, diagonals, loops unrolled by
hand. Every access is inside its array, every value is set before it is read, and integers are
never divided by data.
"""

from __future__ import annotations

import ctypes
import subprocess
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import CodeType

    from numpy.typing import NDArray

__all__ = ["Function", "Parameter", "Runner", "compiled", "differences", "random_function"]

FLAGS = ("-O1", "-ffp-contract=off", "-fwrapv", "-shared", "-fPIC", "-w")
DTYPES = {"double": "<f8", "float": "<f4", "int": "<i4"}
CTYPES: Mapping[str, Any] = {
    "double": ctypes.c_double,
    "float": ctypes.c_float,
    "int": ctypes.c_int,
}
Point = dict[str, int]


@dataclass(frozen=True, slots=True)
class Parameter:
    """A variable; an empty shape is a scalar."""

    name: str
    element: str
    shape: tuple[int, ...] = ()

    @property
    def declaration(self) -> str:
        """C text, without a semicolon."""
        return f"{self.element} {self.name}" + "".join(f"[{extent}]" for extent in self.shape)


@dataclass(frozen=True, slots=True)
class Function:
    """A C function with its parameters."""

    name: str
    parameters: tuple[Parameter, ...]
    text: str

    def inputs(self, seed: int) -> dict[str, NDArray[Any]]:
        """Return values of all parameters; some are zeros, and some equal each other."""
        rng = np.random.default_rng(seed)
        return {p.name: _values(p, rng) for p in self.parameters}


def _values(parameter: Parameter, rng: np.random.Generator) -> NDArray[Any]:
    shape = parameter.shape
    if parameter.element == "int":
        return np.asarray(rng.integers(-9, 10, shape), DTYPES["int"])
    numbers = rng.uniform(-2.0, 2.0, shape)
    round_ones = rng.integers(-4, 5, shape) * 0.5
    return np.asarray(
        np.where(rng.random(shape) < 0.3, round_ones, numbers), DTYPES[parameter.element]
    )


@dataclass(slots=True)
class _Scope:
    """Where a statement stands: names of iterators, and the points at which it runs."""

    iterators: tuple[str, ...]
    points: list[Point]
    scalars: list[Parameter] = field(default_factory=list[Parameter])


class _Writer:
    """Writes one function; used once."""

    def __init__(self, rng: random.Random, name: str, *, most: int, is_tame: bool) -> None:
        self.rng = rng
        self.is_tame = is_tame
        self.name = name
        self.count = 0
        self.lines: list[str] = []
        self.arrays: list[Parameter] = []
        self.parameters: list[Parameter] = []
        self.changes = False
        self.budget = rng.randint(2, most)

    def chance(self, probability: float) -> bool:
        return self.rng.random() < probability

    def fresh(self, stem: str) -> str:
        self.count += 1
        return f"{stem}{self.count}"

    def element(self) -> str:
        return self.rng.choice(["double"] * 6 + ["float", "int"])

    def function(self) -> Function:
        extents = self.rng.sample((2, 3, 4, 5, 6), 2)
        main = self.element()
        for at in range(self.rng.randint(2, 4)):
            rank = self.rng.choice((1, 1, 2, 2, 2, 3))
            shape = tuple(self.rng.choice(extents) for _ in range(rank))
            element = main if self.chance(0.8) else self.element()
            self.parameters.append(Parameter("ABCD"[at], element, shape))
        self.arrays += self.parameters
        if self.chance(0.4):
            self.parameters.append(Parameter("alpha", self.element()))
        scope = _Scope((), [{}], [p for p in self.parameters if not p.shape])
        self.locals(scope, main, extents, indent=1)
        while self.budget > 0:
            self.item(scope, 1)
        head = ", ".join(p.declaration for p in self.parameters)
        body = "\n".join(self.lines)
        return Function(
            self.name, tuple(self.parameters), f"void {self.name}({head}) {{\n{body}\n}}\n"
        )

    def locals(self, scope: _Scope, main: str, extents: Sequence[int], indent: int) -> None:
        if self.chance(0.4):
            self.scalar(scope, indent, main)
        if self.chance(0.3):
            rank = self.rng.choice((1, 1, 2))
            shape = tuple(self.rng.choice(extents) for _ in range(rank))
            array = Parameter(self.fresh("w"), main if self.chance(0.8) else self.element(), shape)
            self.line(indent, f"{array.declaration};")
            self.fill(array, scope, indent)
            self.arrays.append(array)

    def fill(self, array: Parameter, scope: _Scope, indent: int) -> None:
        names = [self.fresh("f") for _ in array.shape]
        inner = scope
        for depth, (name, extent) in enumerate(zip(names, array.shape, strict=True)):
            self.line(indent + depth, f"for (int {name} = 0; {name} < {extent}; {name}++)")
            points = [{**p, name: v} for p in inner.points for v in range(extent)]
            inner = _Scope((*inner.iterators, name), points, inner.scalars)
        place = array.name + "".join(f"[{name}]" for name in names)
        value = self.value(array.element, inner, depth=1)
        self.line(indent + len(names), f"{place} = {value};")

    def line(self, indent: int, text: str) -> None:
        self.lines.append("  " * indent + text)

    def item(self, scope: _Scope, indent: int) -> None:
        kinds: list[Callable[[_Scope, int], None]] = [self.assign] * 4
        if len(scope.iterators) < 4 and len(scope.points) < 400:
            kinds += [self.loop] * (9, 5, 4, 1)[len(scope.iterators)]
        kinds += [self.branch]
        if len(scope.points) < 100 and self.chance(0.3):
            kinds += [self.unrolled]
        if self.chance(0.3):
            kinds += [self.temporary]
        self.rng.choice(kinds)(scope, indent)

    def block(self, scope: _Scope, indent: int) -> None:
        inner = _Scope(scope.iterators, scope.points, [*scope.scalars])
        if len(scope.iterators) == 1 and self.chance(0.07):
            known = len(self.arrays)
            self.locals(inner, "double", (2, 3), indent)
            self.items(inner, indent)
            del self.arrays[known:]
            return
        self.items(inner, indent)

    def items(self, scope: _Scope, indent: int) -> None:
        for _ in range(self.rng.choice((1, 1, 1, 2, 2, 3))):
            self.item(scope, indent)

    def temporary(self, scope: _Scope, indent: int) -> None:
        self.scalar(scope, indent, self.element())

    def scalar(self, scope: _Scope, indent: int, element: str) -> None:
        variable = Parameter(self.fresh("t"), element)
        self.line(indent, f"{variable.declaration} = {self.value(element, scope)};")
        scope.scalars.append(variable)

    # loops

    def loop(self, scope: _Scope, indent: int) -> None:
        name = self.fresh("i")
        low, high = self.bounds(scope)
        step = self.rng.choice((1, 1, 1, 1, 1, 1, 2, 3))
        falls = self.chance(0.15)
        header, values = _header(name, low, high, step, falls, self.rng)
        points = [{**p, name: v} for p in scope.points for v in values(p)]
        if not points and self.chance(0.9):
            return
        self.line(indent, f"for ({header}) {{")
        self.block(_Scope((*scope.iterators, name), points, scope.scalars), indent + 1)
        self.line(indent, "}")

    def unrolled(self, scope: _Scope, indent: int) -> None:
        """Write a loop over parts of a dimension, with a statement for each element of a part."""
        array, ways = self.rng.choice(self.arrays), self.rng.choice((2, 2, 3))
        dimension = self.rng.randrange(len(array.shape))
        trips = array.shape[dimension] // ways
        if not trips:
            return
        name = self.fresh("u")
        points = [{**p, name: v} for p in scope.points for v in range(trips)]
        inner = _Scope((*scope.iterators, name), points, scope.scalars)
        place = self.place(array, scope)
        if place is None:
            return
        self.budget -= 1
        self.changes |= array in self.parameters and bool(points)
        parts = [part.removesuffix("]") for part in place.split("[")[1:]]
        beside, operand = self.chance(0.7), self.operand(array.element, inner)
        value = self.value(array.element, inner)
        self.line(indent, f"for (int {name} = 0; {name} < {trips}; {name}++) {{")
        order = [*range(ways)] if self.chance(0.8) else self.rng.sample(range(ways), ways)
        for at in order:
            parts[dimension] = f"{ways} * {name} + {at}" if beside else f"{name} + {at * trips}"
            if self.chance(0.3):
                value = self.value(array.element, inner)
            own = array.name + "".join(f"[{part}]" for part in parts)
            self.line(indent + 1, f"{own} = {operand} {self.rng.choice('+-*')} ({value});")
        self.line(indent, "}")

    def bounds(self, scope: _Scope) -> tuple[str, str]:
        """Return the first value and the one after the last."""
        extents = [extent for array in self.arrays for extent in array.shape]
        high = self.rng.choice(extents)
        low = self.rng.choice((0, 0, 0, 0, 1, 1, 2))
        if not scope.iterators or self.chance(0.6):
            return str(low), str(high - self.rng.choice((0, 0, 0, 0, 1)))
        outer = self.rng.choice(scope.iterators)
        return self.rng.choice(
            (
                (str(low), outer),
                (str(low), f"{outer} + 1"),
                (outer, str(high)),
                (f"{outer} + 1", str(high)),
                (str(low), f"{high} - {outer}"),
                (f"{outer} - 1", f"{outer} + 2"),
                (f"{outer}", f"{outer} + 2"),
            )
        )

    # statements

    def assign(self, scope: _Scope, indent: int) -> None:
        self.budget -= 1
        own = [s for s in scope.scalars if s.name != "alpha"]
        if own and self.chance(0.25):
            variable = self.rng.choice(own)
            place = variable.name
        else:
            variable = self.rng.choice(self.arrays)
            place = self.place(variable, scope)
            if place is None:
                return
        element = variable.element
        self.changes |= variable in self.parameters and bool(scope.points)
        if self.chance(0.3):
            op = self.rng.choice(("+=", "+=", "-=", "*="))
            self.line(indent, f"{place} {op} {self.value(element, scope)};")
        elif self.chance(0.1):
            other = self.operand(element, scope)
            op = self.rng.choice(("<", ">", "<=", ">="))
            sides = self.rng.choice(((other, place), (place, other)))
            chosen = self.rng.choice((sides, sides[::-1]))
            self.line(indent, f"{place} = {sides[0]} {op} {sides[1]} ? {chosen[0]} : {chosen[1]};")
        elif self.chance(0.1):
            value = self.value(element, scope)
            self.line(indent, f"{place} = {place} {self.rng.choice('+-*')} ({value});")
        else:
            self.line(indent, f"{place} = {self.value(element, scope, place=place)};")

    def branch(self, scope: _Scope, indent: int) -> None:
        condition, then, otherwise = self.condition(scope)
        if not then:
            return
        self.line(indent, f"if ({condition}) {{")
        self.block(_Scope(scope.iterators, then, scope.scalars), indent + 1)
        if otherwise and self.chance(0.5):
            self.line(indent, "} else {")
            self.block(_Scope(scope.iterators, otherwise, scope.scalars), indent + 1)
        self.line(indent, "}")

    def condition(self, scope: _Scope) -> tuple[str, list[Point], list[Point]]:
        if scope.iterators and self.chance(0.5):
            text = self.affine_condition(scope)
            truth = [bool(eval(_code(text), {}, p)) for p in scope.points]
            pairs = [*zip(scope.points, truth, strict=True)]
            return text, [p for p, t in pairs if t], [p for p, t in pairs if not t]
        text = self.data_condition(scope)
        points = scope.points if text else []
        return text, points, points

    def affine_condition(self, scope: _Scope) -> str:
        one = self.rng.choice(scope.iterators)
        other = self.rng.choice((*scope.iterators, "1", "2", "0"))
        shift = self.rng.choice(("", "", " + 1", " - 1"))
        text = f"{one}{shift} {self.rng.choice(('<', '<=', '>', '>=', '==', '!='))} {other}"
        if self.chance(0.2):
            text = f"{text} {self.rng.choice(('&&', '||'))} {one} > 0"
        return f"!({text})" if self.chance(0.1) else text

    def data_condition(self, scope: _Scope) -> str:
        element = self.element()
        sides = self.operand(element, scope), self.operand(element, scope)
        text = f"{sides[0]} {self.rng.choice(('<', '<=', '>', '>=', '!=', '=='))} {sides[1]}"
        if not any(side[0].isalpha() for side in sides):
            return ""
        third = self.operand(element, scope)
        if self.chance(0.15) and third[0].isalpha():
            text = f"{text} {self.rng.choice(('&&', '||'))} {third} > 0"
        return f"!({text})" if self.chance(0.1) else text

    # accesses and values

    def place(self, array: Parameter, scope: _Scope) -> str | None:
        parts: list[str] = []
        for extent in array.shape:
            found = [s for s in self.subscripts(scope) if _fits(s, extent, scope.points)]
            shifted = [s for s in found if not s.isdigit()]
            if shifted and self.chance(0.93):
                found = shifted
            parts.append(self.rng.choice(found))
        return array.name + "".join(f"[{part}]" for part in parts)

    def subscripts(self, scope: _Scope) -> Iterator[str]:
        yield from ("0", "1")
        for name in scope.iterators:
            yield from (name, name, name, name)
            number = self.rng.randint(1, 3)
            yield from (f"{name} + {number}", f"{name} - {number}", f"{number + 2} - {name}")
            if self.chance(0.1):
                yield f"2 * {name}"
        if len(scope.iterators) > 1:
            one, other = self.rng.sample(scope.iterators, 2)
            yield from (f"{one} + {other}", f"{one} - {other}", f"{one} + {other} - 1")

    def operand(self, element: str, scope: _Scope) -> str:
        if self.chance(0.12):
            return self.literal(element)
        whole = element == "int"
        scalars = [s for s in scope.scalars if not whole or s.element == "int"]
        arrays = [a for a in self.arrays if not whole or a.element == "int"]
        if scalars and self.chance(0.3):
            return self.rng.choice(scalars).name
        if scope.iterators and self.chance(0.04):
            return self.rng.choice(scope.iterators)
        if not arrays:
            return self.literal(element)
        return self.place(self.rng.choice(arrays), scope) or self.literal(element)

    def literal(self, element: str) -> str:
        if element == "int":
            return str(self.rng.randint(-3, 7))
        suffix = "f" if element == "float" or self.chance(0.05) else ""
        return self.rng.choice(("0.0", "1.0", "0.5", "-1.5", "0.1", "3.0")) + suffix

    def value(self, element: str, scope: _Scope, depth: int = 2, place: str | None = None) -> str:
        if place is not None and self.chance(0.12):
            return f"{place} {self.rng.choice('+-*')} {self.operand(element, scope)}"
        if depth == 0 or self.chance(0.25):
            return self.operand(element, scope)
        inner = self.value(element, scope, depth - 1)
        kind = self.rng.random()
        if kind < 0.7:
            return f"{self.operand(element, scope)} {self.rng.choice('++--***')} {inner}"
        other = self.value(element, scope, depth - 1)
        if kind < 0.76:
            return f"({inner}) * ({other})"
        if kind < 0.82:
            sides = self.operand(element, scope), self.operand(element, scope)
            return f"({sides[0]} {self.rng.choice('<>')} {sides[1]} ? {inner} : {other})"
        return self.whole(inner) if element == "int" else self.real(inner, element, scope)

    def whole(self, value: str) -> str:
        forms = ("({}) / 3", "({}) % 5", "({}) << 1", "-({})", "(({}) & 6)", "(({}) >> 1)")
        return self.rng.choice(forms).format(value)

    def real(self, value: str, element: str, scope: _Scope) -> str:
        operand = self.operand(element, scope)
        kinds = ["fabs({})", "fmax({}, {})", "fmin({}, {})", "-({})", "(float)({})", "(double)({})"]
        if not self.is_tame:
            kinds.append("({}) / {}")
            if operand[0].isalpha():
                kinds.append("sqrt({1})")
        return self.rng.choice(kinds).format(value, operand)


def _header(
    name: str, low: str, high: str, step: int, falls: bool, rng: random.Random
) -> tuple[str, Callable[[Point], range]]:
    """Return the text of a loop's header, and its values at a point of the loops around."""
    if falls:
        down = f"{name}--" if step == 1 else f"{name} -= {step}"
        text = f"int {name} = {high} - 1; {name} >= {low}; {down}"
        return text, lambda p: range(_at(high, p) - 1, _at(low, p) - 1, -step)
    up = f"{name}++" if step == 1 else f"{name} += {step}"
    compare = f"{name} <= {high} - 1" if rng.random() < 0.2 else f"{name} < {high}"
    text = f"int {name} = {low}; {compare}; {up}"
    return text, lambda p: range(_at(low, p), _at(high, p), step)


def _python(text: str) -> str:
    text = text.replace("&&", " and ").replace("||", " or ").replace("/", "//")
    return text.replace("!=", "<>").replace("!", " not ").replace("<>", "!=")


def _at(text: str, point: Point) -> int:
    return int(eval(_code(text), {}, point))


def _fits(subscript: str, extent: int, points: Sequence[Point]) -> bool:
    code = _code(subscript)
    return all(0 <= eval(code, {}, p) < extent for p in points)


@lru_cache(maxsize=4096)
def _code(text: str) -> CodeType:
    return compile(_python(text).strip(), "<affine>", "eval")


def random_function(
    rng: random.Random, name: str, *, most: int = 7, is_tame: bool = False
) -> Function:
    """Return a function that changes at least one array.

    Parameters
    ----------
    most
        About how many assignments there may be.
    is_tame
        Without divisions and roots, which make infinities and values that aren't numbers.
    """
    while True:
        writer = _Writer(rng, name, most=most, is_tame=is_tame)
        function = writer.function()
        if writer.changes:
            return function


class Runner:
    """Functions as a shared library."""

    def __init__(self, library: Path) -> None:
        self._library = ctypes.CDLL(str(library))

    def run(
        self, function: Function, inputs: Mapping[str, NDArray[Any]]
    ) -> dict[str, NDArray[Any]]:
        """Return all arrays after the function has run on copies of the inputs."""
        arrays = {p.name: inputs[p.name].copy() for p in function.parameters if p.shape}
        arguments = [
            ctypes.c_void_p(arrays[p.name].ctypes.data)
            if p.shape
            else CTYPES[p.element](inputs[p.name].item())
            for p in function.parameters
        ]
        self._library[function.name](*arguments)
        return arrays


def compiled(functions: Sequence[Function], folder: Path) -> Runner:
    """Compile functions into one library."""
    code, library = folder / "functions.c", folder / "functions.so"
    code.write_text("#include <math.h>\n" + "\n".join(f.text for f in functions))
    subprocess.run(["gcc", *FLAGS, "-o", library, code, "-lm"], check=True)
    return Runner(library)


def differences(
    expected: Mapping[str, NDArray[Any]],
    inputs: Mapping[str, NDArray[Any]],
    found: Mapping[str, NDArray[Any]],
) -> list[str]:
    """Return the arrays whose bits are not those of C; not-a-number is the same in any guise."""
    wrong: list[str] = []
    for name, values in expected.items():
        output = f"{name}_out" if f"{name}_out" in found else name
        own = found[output].reshape(values.shape) if output in found else inputs[name]
        if own.dtype != values.dtype or (_bits(own) != _bits(values)).any():
            wrong.append(name)
    return wrong


def _bits(values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), values.dtype.type(np.nan), values)
    return np.ascontiguousarray(values).view(f"i{values.dtype.itemsize}")
