"""Options of public functions, checked when they are called: names, types and choices.

Classes are compared by name, so that nothing is imported for it.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from difflib import get_close_matches
from functools import cache, wraps
from numbers import Integral, Real
from typing import Any, ParamSpec, TypeVar, cast

from streamopt.errors import Diagnostic, OptionError

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")

RENAMED = {
    "defines": "define",
    "dsp_limit": "dsp",
    "latency_target_cycles": "latency_target",
    "on": "device",
    "outputs": "live_out",
    "parameters": "param",
    "shapes": "shape",
    "time_limit_seconds": "time_limit",
}
"""Options that have taken the names of the command line."""
VALUES = {
    "clock_ns": (
        "budget=so.Budget(device=so.device('u280', clock_ns=...))",
        "device=so.device('u280', clock_ns=...)",
    ),
    "freedom": ("space=so.Space(without=..., binding=...)",),
    "latency_target": ("objective=so.FewestDsps(within_cycles=...)",),
}
"""Options that are said by a value of another one: the first that a function has."""
ELSEWHERE = {("Effort", "time_limit"): "give it to solve(): time_limit=..."}
"""Options that are not part of a group, but of the functions that take it."""


def checked(
    *, built: type | None = None, **choices: Iterable[str]
) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Return a decorator that refuses wrong options of a function before it runs.

    Parameters
    ----------
    built
        The typed dictionary of ``**options``, where the function has any.
    choices
        By option: the words that it may be, or whose list it may be.

    Raises
    ------
    OptionError
        When the function is called: E541 for an option that it doesn't have, E542 for a value of
        a wrong type, E543 for one that is not among the choices; all at once.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        options = _Options.of(function, built, {key: tuple(of) for key, of in choices.items()})

        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            if found := (*options.problems(args, kwargs),):
                raise OptionError(*found)
            return function(*args, **kwargs)

        return call

    return decorate


def option_group(**choices: Iterable[str]) -> Callable[[type[T]], type[T]]:
    """Return a decorator of a dataclass that refuses wrong fields, as `checked` does."""

    def decorate(kind: type[T]) -> type[T]:
        type.__setattr__(kind, "__init__", checked(built=None, **choices)(kind.__init__))
        return kind

    return decorate


@dataclass(frozen=True, slots=True)
class _Options:
    """The options of a function."""

    function: str
    positional: tuple[str, ...]
    """Names of those that may be given without a name, in order."""
    kinds: Mapping[str, tuple[Kind, ...]]
    """By name: the types that its value may have, any where there are none."""
    choices: Mapping[str, tuple[str, ...]]
    groups: Mapping[str, str]
    """By option within a group of options: what to give instead of it."""

    @classmethod
    def of(
        cls,
        function: Callable[..., object],
        built: type | None,
        choices: Mapping[str, tuple[str, ...]],
    ) -> _Options:
        found = inspect.signature(function).parameters.values()
        named = [p for p in found if p.kind is not inspect.Parameter.VAR_KEYWORD]
        texts = {p.name: p.annotation if isinstance(p.annotation, str) else "Any" for p in named}
        kinds = {name: kinds_of(text) for name, text in texts.items()}
        more: dict[str, Any] = {} if built is None else dict(inspect.get_annotations(built))
        kinds |= {name: kinds_of(of.__forward_arg__) for name, of in more.items()}
        positional = [p.name for p in named if p.kind is not inspect.Parameter.KEYWORD_ONLY]
        groups = {
            field.name: f"give {p.name}=so.{type(p.default).__name__}({field.name}=...)"
            for p in named
            if is_dataclass(p.default)
            for field in fields(p.default)
        }
        name = function.__qualname__.removesuffix(".__init__")
        return cls(name, tuple(positional), kinds, choices, groups)

    def problems(
        self, args: Sequence[object], kwargs: Mapping[str, object]
    ) -> Iterator[Diagnostic]:
        """Yield the problems of a call."""
        if len(args) > len(self.positional):
            yield self._unnamed(args[len(self.positional) :])
        given = dict(zip(self.positional, args, strict=False)) | dict(kwargs)
        for name, value in given.items():
            kinds = self.kinds.get(name)
            if kinds is None:
                yield self._unknown(name)
            elif kinds and not any(kind.holds(value) for kind in kinds):
                yield _wrong_type(name, value, kinds)
            elif name in self.choices:
                yield from _wrong_words(name, value, self.choices[name])

    def _unknown(self, name: str) -> Diagnostic:
        own = RENAMED.get(name, name)
        hint = self.groups.get(own) or ELSEWHERE.get((self.function, own), "")
        values = [each for each in VALUES.get(own, ()) if each.partition("=")[0] in self.kinds]
        if values:
            hint = f"give {values[0]}"
        elif not hint and own in self.kinds:
            hint = f"it is called '{own}'"
        elif not hint:
            hint = nearest(name, [each for each in self.kinds if each != "self"])
        return Diagnostic("E541", f"{self.function}() has no option '{name}'", hint=hint)

    def _unnamed(self, values: Sequence[object]) -> Diagnostic:
        """Return the problem of values beyond those that may be given without a name."""
        own = ", ".join(name for name in self.positional if name != "self")
        named = [name for name in self.kinds if name not in self.positional]
        meant = ", ".join(
            f"{name}={value!r}"
            for name, value in zip(named, values, strict=False)
            if isinstance(value, int | float | str)
        )
        message = f"{self.function}() takes {f'only {own}' if own else 'nothing'} without a name"
        hint = "options are given by name" + (f": {meant}" if meant else "")
        return Diagnostic("E541", message, hint=hint)


def nearest(name: str, known: Sequence[str]) -> str:
    """Return a hint that names the option that was meant, or all options.

    Examples
    --------
    >>> nearest("time", ["tiling_limit", "time_limit"])
    "did you mean 'time_limit'?"
    """
    close = closest(name, known)
    return f"did you mean '{close}'?" if close else f"choose from {', '.join(known)}"


def closest(name: str, known: Sequence[str]) -> str:
    """Return the known name that was meant, whatever its case; empty where none is near.

    Examples
    --------
    >>> closest("U280", ["u250", "u280"]), closest("pynq", ["u250", "u280"])
    ('u280', '')
    """
    plain = {each.lower(): each for each in known}
    longer = [each for each in plain if each.startswith(name.lower())]
    close = longer or get_close_matches(name.lower()[:200], plain, n=1, cutoff=0.5)
    return plain[close[0]] if close else ""


def _wrong_type(name: str, value: object, kinds: Sequence[Kind]) -> Diagnostic:
    shown = repr(value)
    shown = shown if len(shown) <= 60 else f"of type {type(value).__name__}"
    *words, last = dict.fromkeys(kind.words for kind in kinds)
    wanted = f"{', '.join(words)} or {last}" if words else last
    hints = [f"give {name}={kind.instead(value)}" for kind in kinds if kind.instead(value)]
    own = getattr(value, name, None)
    if own is not None and any(kind.holds(own) for kind in kinds):
        hints = [f"give its member '{name}'"]
    return Diagnostic("E542", f"{name} is {shown}, but takes {wanted}", hint="".join(hints[:1]))


def _wrong_words(name: str, value: object, known: tuple[str, ...]) -> Iterator[Diagnostic]:
    """Yield a problem for every unknown word; a list that is read only once is left alone."""
    if value is None:
        return
    words = [value] if isinstance(value, str) else value
    if not isinstance(words, list | tuple | set | frozenset):
        return
    for word in cast("Iterable[object]", words):
        if word not in known:
            hint = f"choose from {', '.join(known)}"
            yield Diagnostic("E543", f"{name} has no '{word}'", hint=hint)


def _is_list(value: object) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, str | bytes)


_HOLDS: Mapping[str, Callable[[object], bool]] = {
    "None": lambda value: value is None,
    "bool": lambda value: isinstance(value, bool),
    "int": lambda value: isinstance(value, Integral) and value is not True and value is not False,
    "float": lambda value: isinstance(value, Real) and value is not True and value is not False,
    "str": lambda value: isinstance(value, str),
    "PathLike": lambda value: hasattr(value, "__fspath__"),
    "Callable": callable,
    "Iterable": _is_list,
    "Sequence": lambda value: isinstance(value, Sequence) and not isinstance(value, str | bytes),
    "tuple": lambda value: isinstance(value, tuple),
    "Mapping": lambda value: isinstance(value, Mapping),
    "dict": lambda value: isinstance(value, Mapping),
    "Facts": lambda value: isinstance(value, Mapping),
}
_WORDS = {
    "None": "None",
    "bool": "True or False",
    "int": "a whole number",
    "float": "a number",
    "str": "a string",
    "PathLike": "a path",
    "Callable": "a function",
    "Iterable": "a list",
    "Sequence": "a list",
    "tuple": "a tuple",
    "Mapping": "a dictionary",
    "dict": "a dictionary",
    "Facts": "a dictionary",
}
_MEMBERS = {"int": "whole numbers", "float": "numbers", "str": "strings", "object": "values"}
_MADE_BY = {
    "Target": "so.device('u280')",
    "FifoSizing": "so.FifoSizing(slack=0.05)",
    "Budget": "so.Budget(lut=50_000)",
    "Effort": "so.Effort(solver='highs')",
    "Space": "so.Space(tiling_limit=4)",
    "Schedule": "so.load_schedule(path), or the schedule of a solution",
    "Program": "so.load(path)",
    "VitisSettings": "so.VitisSettings(release='2023.2')",
}
_ANYTHING = {"Any", "Readable", "object"}  # what is readable is told by its reader


@dataclass(frozen=True, slots=True)
class Kind:
    """A type by its name, and the type of its members where it is a list of them."""

    name: str
    of: tuple[Kind, ...] = ()

    def holds(self, value: object) -> bool:
        """Return whether a value is of this type."""
        test = _HOLDS.get(self.name)
        if test is None:
            return self.name in [each.__name__ for each in type(value).__mro__]
        if not test(value):
            return False
        known = all(kind.name in _HOLDS for kind in self.of)  # and no alias of several types
        if not (self.of and known and isinstance(value, list | tuple | set | frozenset)):
            return True
        members = cast("Iterable[Any]", value)
        return all(any(kind.holds(member) for kind in self.of) for member in members)

    @property
    def words(self) -> str:
        """Return the type in words."""
        article = "an" if self.name.startswith(("A", "E", "I", "O")) else "a"
        own = _WORDS.get(self.name, f"{article} {self.name}")
        if not self.of:
            return own
        member = self.of[0].name
        return f"{own} of {_MEMBERS.get(member, f'{member}s')}"

    def instead(self, value: object) -> str:
        """Return a text to write instead of a value of another type; empty if unknown."""
        if self.name in ("int", "float") and isinstance(value, str):
            try:
                return f"{int(value)}" if self.name == "int" else f"{float(value)}"
            except ValueError:
                return ""
        if self.name in ("Iterable", "Sequence") and isinstance(value, str):
            return repr([value])
        return _MADE_BY.get(self.name, "")


@cache
def kinds_of(annotation: str) -> tuple[Kind, ...]:
    """Return the types of an annotation, such as ``int | None``; none where it may be anything.

    Examples
    --------
    >>> [kind.name for kind in kinds_of("Graph | PathLike[str] | None")]
    ['Graph', 'PathLike', 'None']
    """
    parsed = ast.parse(annotation, mode="eval").body
    sides, left = [parsed], parsed
    while isinstance(left, ast.BinOp):
        sides += [left.right, left.left]
        left = left.left
    if any(isinstance(side, ast.Name) and side.id in _ANYTHING for side in sides):
        return ()
    return tuple(_members(parsed))


def _members(node: ast.expr) -> list[Kind]:
    match node:
        case ast.BinOp(left=left, right=right):
            return [*_members(left), *_members(right)]
        case ast.Constant(value=str(text)):
            return [*kinds_of(text)]
        case ast.Constant():
            return [Kind("None")]
        case ast.Subscript(value=ast.Name(id=name), slice=inner):
            lists = name in ("Iterable", "Sequence")
            return [Kind(name, tuple(_members(inner)) if lists else ())]
        case ast.Attribute(attr=name) | ast.Name(id=name) if name not in _ANYTHING:
            return [Kind(name)]
        case _:
            return []
