"""Templates of C++, written out for the arguments that they are used with.

Before::

    template <int N, typename T> void scale(T x[N], T by) { for (int i = 0; ...
    void top(float a[8]) { scale<8, float>(a, 2); }

After::

    void scale_T1(float x[8], float by) { for (int i = 0; ...
    void top(float a[8]) { scale_T1(a, 2); }

An instance stands before the declaration that uses it first. A function that is called without
arguments in angle brackets is written out once, with ``struct tparam_T`` for a type that its calls
decide; `streamopt.frontends.c.lowering` does the rest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from streamopt.errors import SourceLoc
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.text.places import Edit, Places, Spot, edited, position
from streamopt.frontends.c.text.template_text import (
    Row,
    blank,
    closing,
    closing_brackets,
    constants_in,
    decided,
    declaration_start,
    declared_name,
    definitions,
    evaluated,
    library_tag,
    parameters_of,
    parts_of,
    replaced_words,
    with_values,
)

OPEN_TYPE = "tparam_"
"""How the tags of types begin that the calls of a function decide."""

MAX_INSTANCES = 300
MAX_CHARACTERS = 2_000_000
MAX_USES = 5_000
MAX_TEMPLATES = 1_000
MAX_MOVED = 5_000_000
"""Tokens whose places follow instances."""
_MAX_NESTING = 8

_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_BUILT_IN = re.compile(
    r"\b(ap_u?int|ap_u?fixed|(?:hls|tapa)[ ]*::[ ]*(?:i?o?stream|vector)|std[ ]*::[ ]*array)"
    r"[ ]*<((?:[^<>;{}]|<<){1,200})>"
)
_SPECIAL = re.compile(
    r"\b(?:struct|class)\s+(\w+)\s*<([^<>;{}]*)>\s*\{"
    r"|\b(\w+)\s*<([^<>;{}]*)>\s*\([^;{}]{0,1000}\)\s*\{"
)
_CLASS = re.compile(r"\b(?:class|struct)\s+(\w+)\s*\{")
_MEMBER = re.compile(r"\btemplate\s*<[^<>;{}]*>\s*static\s[^;{}()]*?(?<=[\s*&])(\w+)\s*\(")
_OUTSIDE = re.compile(r"[^({};]*?\b(\w+)\s*(<[^<>;{}]*>)(?=\s*::\s*~?\w+\s*\()")
_PARTIAL = re.compile(r"\s*(?:struct|class)\s+(\w+)\s*<([^<>;{}]*)>")
_UNSIGNED = ("unsigned", "size_t", "uint32_t")
_ALIAS = re.compile(r"\s*using\s+\w+\s*=([^;]*);")


@dataclass(frozen=True, slots=True)
class _Template:
    """A template: its text from the declaration on, and the places of its lines."""

    name: str
    parameters: tuple[tuple[str, str, str], ...]
    """Kind (``typename`` or the type of a number), name and default of each."""
    text: str
    rows: tuple[tuple[Spot, ...], ...]
    is_function: bool

    def written(self, name: str, values: Mapping[str, str]) -> tuple[str, list[Row]]:
        """Return the text with another name and with values for parameters, and its places."""
        words = {self.name: name, **values}
        lines = zip(self.text.split("\n"), self.rows, strict=True)
        found = [replaced_words(line, list(row), words) for line, row in lines]
        return "\n".join(line for line, _ in found), [row for _, row in found]


@dataclass(slots=True)
class PlainText:
    """A text that has no templates."""

    text: str
    generics: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """By function that calls decide: the parameters that are whole numbers."""


def without_templates(text: str, places: Places, problems: Problems) -> PlainText:
    """Return C++ without templates; the rows of the places follow.

    Templates of more than numbers and types are reported (E135).

    Raises
    ------
    LimitError
        If the instances are too many or too long (E139).
    """
    if "<" not in text:
        return PlainText(text)
    machine = _TemplateWriter(text, places, problems)
    machine.run()
    return machine.written


class _TemplateWriter:
    """Takes templates out of a text and puts their instances in."""

    def __init__(self, text: str, places: Places, problems: Problems) -> None:
        self.places = places
        self.problems = problems
        self.constants = constants_in(text)
        self.templates: dict[str, _Template] = {}
        self.partial: dict[str, list[tuple[list[str], _Template]]] = {}
        self.known: dict[tuple[str, ...], str] = {}
        self.members: dict[str, str] = {}
        self.spent = self.moved = 0
        self.open: set[str] = set()
        self.written = PlainText(text)

    def run(self) -> None:
        """Write out all templates that are used."""
        self._name_members()
        for count, (start, end) in enumerate([*definitions(self.written.text)]):
            if count > MAX_TEMPLATES:
                self._refuse_size(start)
            self._take(start, end)
        self.written.text = self._built_in(self.written.text, self.places)
        for one in _SPECIAL.finditer(self.written.text):
            name, arguments = one[1] or one[3], parts_of(one[2] if one[1] else one[4])
            if one[1]:
                self.templates.setdefault(name, _Template(name, (), "", (), is_function=False))
            if name in self.templates:
                key = (name, "<", *map(self._argument, arguments))
                self.known.setdefault(key, f"{name}_T{len(self.known) + 1}")
        if not self.templates:
            return
        names = "|".join(map(re.escape, self.templates))
        uses = re.compile(rf"\b({names})\b[ ]*(<|\()")
        at = count = 0
        while found := uses.search(self.written.text, at):
            count += 1
            if count > MAX_USES:
                self._refuse_size(found.start())
            at = self._use(found, uses)
        self.written.text = self._built_in(self.written.text, self.places)

    def _name_members(self) -> None:
        """Put the class in front of the names of static functions that are templates in it."""
        text = self.written.text
        closes = closing_brackets(text) if _MEMBER.search(text) else {}
        edits: list[Edit] = []
        for one in _CLASS.finditer(text) if closes else ():
            for found in _MEMBER.finditer(text, one.end(), closes.get(one.end() - 1, one.end())):
                self.members[f"{one[1]}::{found[1]}"] = f"{one[1]}__{found[1]}"
                edits.append((found.start(1), found.start(1), f"{one[1]}__"))
        self.written.text = self._flat(edited(text, edits, self.places))

    def _flat(self, text: str) -> str:
        """Return a text with the names that templates in classes have here, of the same length."""
        for name, new in self.members.items():
            text = re.sub(rf"\b{name}\b", new, text)
        return text

    def _take(self, start: int, end: int) -> None:
        text = self.written.text
        opening = text.index("<", start)
        close = closing(text, opening)
        parameters = None if close is None else parameters_of(text[opening + 1 : close])
        if close is not None and not text[opening + 1 : close].strip():
            self.written.text = text[:start] + blank(text[start : close + 1]) + text[close + 1 :]
            return
        self.written.text = text[:start] + blank(text[start:end]) + text[end:]
        partial = None if close is None else _PARTIAL.match(text, close + 1)
        names = {name for _, name, _ in parameters or ()}
        patterns = [] if partial is None else parts_of(partial[2])
        is_open = any(names.intersection(_WORD.findall(one)) - {one} for one in patterns)
        if parameters is None or close is None or is_open:
            hint = "write the function for the types that it is used with"
            loc = self._loc(start)
            self.problems.report("E135", "a template of this kind is not supported", loc, hint)
            return
        body = text[close + 1 : end]
        line, column = position(text, close + 1)
        rows = [list(row) for row in self.places.rows[line - 1 : line + body.count("\n")]]
        after = bisect_left(rows[0], column, key=lambda spot: spot.column)
        last = bisect_left(rows[0], column + len(body), key=lambda spot: spot.column)
        rows[0] = [replace(s, column=s.column - column + 1) for s in rows[0][after:last]]
        name, is_function = declared_name(body)
        kept = tuple(tuple(row) for row in rows)
        if partial is not None:
            begin, end = (at - close - 1 for at in (partial.end(1), partial.end()))
            body = body[:begin] + blank(body[begin:end]) + body[end:]
            made = _Template(name, parameters, body, kept, is_function)
            self.partial.setdefault(name, []).append((patterns, made))
            return
        outside = _OUTSIDE.match(body)
        if outside is not None and (known := self.templates.get(outside[1])) is not None:
            begin, end = outside.span(2)
            whole = f"{known.text}\n{body[:begin]}{blank(outside[2])}{body[end:]}"
            self.templates[known.name] = replace(known, text=whole, rows=(*known.rows, *kept))
        elif name:
            self.templates[name] = _Template(name, parameters, body, kept, is_function)

    def _built_in(self, text: str, places: Places) -> str:
        """Return a text in which types of libraries are structures, innermost first."""
        for _ in range(_MAX_NESTING):
            edits: list[Edit] = []
            for one in _BUILT_IN.finditer(text):
                tag = library_tag(one[1], [self._argument(part) for part in parts_of(one[2])])
                edits.append((one.start(), one.end(), f"struct {tag}"))
            if not edits:
                break
            text = edited(text, edits, places)
        return text

    def _use(self, found: re.Match[str], uses: re.Pattern[str]) -> int:
        """Write one use out, the innermost first, and return where to go on."""
        outer = found.start()
        while True:
            text, template = self.written.text, self.templates[found[1]]
            if found[2] == "(":
                if not template.is_function:
                    return found.end()
                close, arguments = found.end(1) - 1, list[str]()
                break
            end = closing(text, found.end() - 1)
            if end is None:
                return found.end()
            close, inner = end, uses.search(text, found.end(), end)
            if inner is None:
                listed = parts_of(text[found.end() : close])
                arguments = [self._argument(part, found.start()) for part in listed]
                self._complete(template, arguments, found.start())
                break
            found = inner
        given = zip(template.parameters, arguments, strict=False)
        pairs = [(kind, name, value) for (kind, name, _), value in given]
        for patterns, special in self.partial.get(template.name, ()):
            kinds = {name: kind for kind, name, _ in special.parameters}
            sides = [*zip(patterns, arguments, strict=False)]
            if all(one in kinds or self._argument(one) == other for one, other in sides):
                pairs = [(kinds[one], one, other) for one, other in sides if one in kinds]
                template = replace(special, parameters=template.parameters)
        values = {
            name: f"{value}u" if kind in _UNSIGNED and value.isdigit() else value
            for kind, name, value in pairs
        }
        alias = _ALIAS.match(template.text)
        if alias is not None:
            self._edit(found.start(), close + 1, with_values(alias[1].strip(), values))
            return outer
        key = (template.name, found[2], *arguments)
        decided = template.parameters[len(arguments) :]
        numbers = tuple(name for kind, name, _ in decided if kind != "typename")
        values |= {n: f"struct {OPEN_TYPE}{n}" for kind, n, _ in decided if kind == "typename"}
        self.open.update(numbers)
        at = self._written_out(template, key, values, (found.start(), close + 1))
        if decided:
            self.written.generics[self.known[key]] = numbers
        return at if outer == found.start() else min(at, outer)

    def _argument(self, text: str, use: int = 0) -> str:
        """Return an argument, a number where constants decide it, of the function around a use."""
        number = evaluated(text, self.constants)
        if number is None and use:
            whole = self.written.text
            self._spend(use // 20, use)
            before = whole[declaration_start(whole, use) : use]
            number = evaluated(text, constants_in(before, self.constants))
        return " ".join(text.split()) if number is None else str(number)

    def _complete(self, template: _Template, arguments: list[str], start: int) -> None:
        """Add what a use leaves out; the rest of a function is decided by its calls."""
        for _, name, default in template.parameters[len(arguments) :]:
            if default:
                known = {n: a for (_, n, _), a in zip(template.parameters, arguments, strict=False)}
                arguments.append(self._argument(with_values(default, known)))
                continue
            if template.is_function:
                return
            message = f"{template.name} is used without its argument {name}"
            hint = "write all arguments of the template"
            self.problems.report("E135", message, self._loc(start), hint)
            arguments.append("int")

    def _written_out(
        self,
        template: _Template,
        key: tuple[str, ...],
        values: Mapping[str, str],
        span: tuple[int, int],
    ) -> int:
        """Name the instance of a use, put it into the text if it is new; return where to go on."""
        is_new = key not in self.known
        known = self.known.setdefault(key, f"{template.name}_T{len(self.known) + 1}")
        start, end = span
        words = {word for value in values.values() for word in _WORD.findall(value)}
        if words & self.open or any(word.startswith(OPEN_TYPE) for word in words):
            self.written.generics.setdefault(known, ())
        self._edit(start, end, known)
        if not is_new:
            return start + len(known)
        added, rows = template.written(known, values)
        added = self._flat(added)
        return self._insert((decided(added, self.constants), rows), start)

    def _loc(self, offset: int) -> SourceLoc:
        return self.places.loc(*position(self.written.text, offset))

    def _edit(self, start: int, end: int, new: str) -> None:
        text = self.written.text
        line, column = position(text, end)
        broken = text.count("\n", start, end)
        self.written.text = text[:start] + new + "\n" * broken + text[end:]
        self._move(line, end)
        if not broken:
            self.places.shift(line, [(column, len(new) - (end - start))])

    def _insert(self, instance: tuple[str, list[Row]], use: int) -> int:
        """Put an instance before the declaration of the file that uses it; return where."""
        text = self.written.text
        at = declaration_start(text, use)
        added, rows = instance
        self._spend(len(added) + at // 20, use)
        added = self._built_in(added, Places(self.places.main, self.places.files, rows))
        line, column = position(text, at)
        self._move(line, use)
        row = self.places.rows[line - 1]
        before = [spot for spot in row if spot.column < column]
        after = [replace(s, column=s.column - column + 1) for s in row if s.column >= column]
        self.places.rows[line - 1 : line] = [before, *rows, after]
        self.written.text = f"{text[:at]}\n{added}\n{text[at:]}"
        return at

    def _spend(self, characters: int, use: int) -> None:
        self.spent += characters
        if len(self.known) > MAX_INSTANCES or self.spent > MAX_CHARACTERS:
            self._refuse_size(use)

    def _move(self, line: int, place: int) -> None:
        """Count the tokens of a line that is changed."""
        self.moved += len(self.places.rows[line - 1])
        if self.moved > MAX_MOVED:
            self._refuse_size(place)

    def _refuse_size(self, use: int) -> NoReturn:
        message = "the templates are written out too often"
        raise LimitError(message, self._loc(use), "use fewer of them")
