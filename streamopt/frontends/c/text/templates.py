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

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import add, mul, sub
from typing import TYPE_CHECKING, NoReturn

from streamopt.errors import Diagnostic
from streamopt.frontends.c.problems import LimitError
from streamopt.frontends.c.text.edits import edited
from streamopt.frontends.c.text.places import Places

if TYPE_CHECKING:
    from collections.abc import Callable

    from streamopt.errors import SourceLoc
    from streamopt.frontends.c.problems import Problems
    from streamopt.frontends.c.text.places import Spot

OPEN_TYPE = "tparam_"
"""How the tags of types begin that the calls of a function decide."""

MAX_INSTANCES = 300
MAX_CHARACTERS = 2_000_000
MAX_USES = 5_000
_MAX_ARGUMENTS = 4_000
"""Characters of arguments in angle brackets."""
_MAX_NESTING = 8

_TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|::|>=|<=|[^\s]"""
)
_HEAD = re.compile(r"\btemplate\s*<")
_CONSTANT = re.compile(
    r"\bconst\s+(?:static\s+)?(?:(?:unsigned|int|short|long|char|size_t|u?int\d+_t)\s+)+"
    r"(\w+)\s*=\s*([^;{}]{1,200});"
)
_NUMBER = re.compile(r"\b(0[xX][0-9a-fA-F]+|\d+)[uUlL]*\b")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_BUILT_IN = re.compile(
    r"\b(ap_u?int|ap_u?fixed|(?:hls|tapa)[ ]*::[ ]*(?:i?o?stream|vector)|std[ ]*::[ ]*array)"
    r"[ ]*<([^<>;{}]{1,200})>"
)
_OPERATIONS: Mapping[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: add,
    ast.Sub: sub,
    ast.Mult: mul,
    ast.FloorDiv: lambda left, right: left // right,
    ast.Mod: lambda left, right: left % right,
    ast.LShift: lambda left, right: left << min(right, 64),
    ast.RShift: lambda left, right: left >> right,
}

_Row = list["Spot"]


@dataclass(frozen=True, slots=True)
class _Template:
    """A template: its text from the declaration on, and the places of its lines."""

    name: str
    parameters: tuple[tuple[str, str, str], ...]
    """Kind (``typename`` or the type of a number), name and default of each."""
    text: str
    rows: tuple[tuple[Spot, ...], ...]
    is_function: bool

    def written(self, name: str, values: Mapping[str, str]) -> tuple[str, list[_Row]]:
        """Return the text with another name and with values for parameters, and its places."""
        words = {self.name: name, **values}
        lines: list[str] = []
        rows: list[_Row] = []
        for line, row in zip(self.text.split("\n"), self.rows, strict=True):
            found, spots = _replaced(line, list(row), words)
            lines.append(found)
            rows.append(spots)
        return "\n".join(lines), rows


@dataclass(slots=True)
class Written:
    """A text that has no templates."""

    text: str
    generics: dict[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """By function that calls decide: the parameters that are whole numbers."""


def without_templates(text: str, places: Places, problems: Problems) -> Written:
    """Return C++ without templates; the rows of the places follow.

    Templates of more than numbers and types are reported (E135).

    Raises
    ------
    LimitError
        If the instances are too many or too long (E139).
    """
    if "<" not in text:
        return Written(text)
    machine = _Machine(text, places, problems)
    machine.run()
    return machine.written


class _Machine:
    """Takes templates out of a text and puts their instances in."""

    def __init__(self, text: str, places: Places, problems: Problems) -> None:
        self.places = places
        self.problems = problems
        self.constants = _constants_in(text)
        self.templates: dict[str, _Template] = {}
        self.known: dict[tuple[str, ...], str] = {}
        self.spent = 0
        self.open: set[str] = set()
        self.written = Written(text)

    def run(self) -> None:
        """Write out all templates that are used."""
        for start, end in [*_definitions(self.written.text)]:
            self._take(start, end)
        self.written.text = self._built_in(self.written.text, self.places)
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

    def _take(self, start: int, end: int) -> None:
        """Blank a template and note it."""
        text = self.written.text
        close = _closing(text, text.index("<", start))
        parameters = (
            None if close is None else _parameters(text[text.index("<", start) + 1 : close])
        )
        self.written.text = text[:start] + _blank(text[start:end]) + text[end:]
        if parameters is None or close is None:
            hint = "write the function for the types that it is used with"
            loc = self._loc(start)
            self.problems.report("E135", "a template of this kind is not supported", loc, hint)
            return
        body = text[close + 1 : end]
        first, column = _position(text, close + 1)
        rows = [list(row) for row in self.places.rows[first : first + body.count("\n") + 1]]
        rows[0] = [replace(s, column=s.column - column) for s in rows[0] if s.column > column]
        name, is_function = _declared(body)
        if name:
            kept = tuple(tuple(row) for row in rows)
            self.templates[name] = _Template(name, parameters, body, kept, is_function)

    def _built_in(self, text: str, places: Places) -> str:
        """Return a text in which types of libraries are structures, innermost first."""
        for _ in range(_MAX_NESTING):
            edits = [
                (one.start(), one.end(), f"struct {self._tag(one[1], one[2])}")
                for one in _BUILT_IN.finditer(text)
            ]
            if not edits:
                break
            text = edited(text, edits, places)
        return text

    def _tag(self, name: str, inside: str) -> str:
        return _tag(name, [self._argument(part) for part in _parts(inside)])

    def _use(self, found: re.Match[str], uses: re.Pattern[str]) -> int:
        """Write one use out and return where to go on."""
        while True:
            text, template = self.written.text, self.templates[found[1]]
            if found[2] == "(":
                return self._open(template, found) if template.is_function else found.end()
            close = _closing(text, found.end() - 1)
            if close is None:
                return found.end()
            inner = uses.search(text, found.end(), close)
            if inner is None:
                break
            found = inner
        arguments = [self._argument(part) for part in _parts(text[found.end() : close])]
        self._complete(template, arguments, found.start())
        key = (template.name, *arguments)
        names = [name for _, name, _ in template.parameters]
        values = dict(zip(names, arguments, strict=False))
        return self._written_out(template, key, values, (found.start(), close + 1))

    def _argument(self, text: str) -> str:
        number = evaluated(text, self.constants)
        return " ".join(text.split()) if number is None else str(number)

    def _complete(self, template: _Template, arguments: list[str], start: int) -> None:
        """Add the values of parameters that a use leaves out."""
        for _, name, default in template.parameters[len(arguments) :]:
            if default:
                known = {n: a for (_, n, _), a in zip(template.parameters, arguments, strict=False)}
                filled = _WORD.sub(lambda word: known.get(word[0], word[0]), default)  # noqa: B023
                arguments.append(self._argument(filled))
                continue
            message = f"{template.name} is used without its argument {name}"
            hint = "write all arguments of the template"
            self.problems.report("E135", message, self._loc(start), hint)
            arguments.append("int")

    def _open(self, template: _Template, found: re.Match[str]) -> int:
        """Name a function whose arguments the call decides, and write it out the first time."""
        key = (template.name, "(")
        kinds = [(name, kind == "typename") for kind, name, _ in template.parameters]
        types = {name: f"struct {OPEN_TYPE}{name}" for name, is_type in kinds if is_type}
        numbers = tuple(name for name, is_type in kinds if not is_type)
        self.open.update(numbers)
        at = self._written_out(template, key, types, found.span(1))
        self.written.generics[self.known[key]] = numbers
        return at

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
        return self._insert(template.written(known, values), start)

    def _loc(self, offset: int) -> SourceLoc:
        line, column = _position(self.written.text, offset)
        return self.places.loc(line + 1, column + 1)

    def _edit(self, start: int, end: int, new: str) -> None:
        text = self.written.text
        line, column = _position(text, end)
        broken = text.count("\n", start, end)
        self.written.text = text[:start] + new + "\n" * broken + text[end:]
        if not broken:
            self.places.shift(line + 1, [(column + 1, len(new) - (end - start))])

    def _insert(self, instance: tuple[str, list[_Row]], use: int) -> int:
        """Put an instance before the declaration of the file that uses it; return where."""
        text = self.written.text
        at = _declaration_start(text, use)
        added, rows = instance
        self.spent += len(added) + at // 20
        if len(self.known) > MAX_INSTANCES or self.spent > MAX_CHARACTERS:
            self._refuse_size(use)
        added = self._built_in(added, Places(self.places.main, self.places.files, rows))
        line, column = _position(text, at)
        row = self.places.rows[line]
        before = [spot for spot in row if spot.column <= column]
        after = [replace(s, column=s.column - column) for s in row if s.column > column]
        self.places.rows[line : line + 1] = [before, *rows, after]
        self.written.text = f"{text[:at]}\n{added}\n{text[at:]}"
        return at

    def _refuse_size(self, use: int) -> NoReturn:
        message = "the templates are written out too often"
        raise LimitError(Diagnostic("E139", message, self._loc(use), "use fewer of them"))


def _replaced(line: str, row: _Row, words: Mapping[str, str]) -> tuple[str, _Row]:
    """Return a line with other words, and where its tokens are then."""
    parts: list[str] = []
    moves: list[tuple[int, int]] = []
    end = 0
    for found in _WORD.finditer(line):
        new = words.get(found[0])
        if new is not None and not line[: found.start()].rstrip().endswith((".", "->")):
            parts += [line[end : found.start()], new]
            end = found.end()
            moves.append((end + 1, len(new) - len(found[0])))
    spots: _Row = []
    for spot in row:
        by = sum(shift for column, shift in moves if column <= spot.column)
        spots.append(replace(spot, column=spot.column + by) if by else spot)
    return "".join([*parts, line[end:]]), spots


def _blank(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _definitions(text: str) -> Iterator[tuple[int, int]]:
    """Yield where templates begin and end."""
    at = 0
    while True:
        found = _HEAD.search(text, at)
        if found is None:
            return
        end = _end_of_declaration(text, found.end())
        yield found.start(), end
        at = end


def _end_of_declaration(text: str, start: int) -> int:
    """Return the end of a definition: behind its body, and the semicolon of a structure."""
    depth = 0
    is_type = False
    for found in _TOKEN.finditer(text, start):
        token = found[0]
        if token in ("struct", "class", "union") and depth == 0:
            is_type = is_type or text[: found.start()].rstrip().endswith(">")
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
            if depth <= 0 and not is_type:
                return found.end()
        elif token == ";" and depth <= 0:
            return found.end()
    return len(text)


def _position(text: str, offset: int) -> tuple[int, int]:
    """Return the line and the column of a place, both from 0."""
    return text.count("\n", 0, offset), offset - (text.rfind("\n", 0, offset) + 1)


def _closing(text: str, opening: int) -> int | None:
    """Return where the angle bracket closes that opens at a place."""
    depth = round_depth = 0
    for found in _TOKEN.finditer(text, opening, opening + _MAX_ARGUMENTS):
        token = found[0]
        if token in (";", "{", "}"):
            return None
        if token in "()[]":
            round_depth += 1 if token in "([" else -1
            if round_depth < 0:
                return None
        elif token == "<" and round_depth == 0:
            depth += 1
        elif token == ">" and round_depth == 0:
            depth -= 1
            if depth == 0:
                return found.start()
    return None


def _parts(text: str) -> list[str]:
    """Return what commas divide, outside of brackets."""
    found = [""]
    depth = 0
    for character in text:
        depth += (character in "<([{") - (character in ">)]}")
        if character == "," and depth == 0:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found if part.strip()]


def _parameters(text: str) -> tuple[tuple[str, str, str], ...] | None:
    """Return the parameters of a template; None where they are no numbers and types."""
    found: list[tuple[str, str, str]] = []
    for part in _parts(text):
        declared, _, default = part.partition("=")
        words = declared.split()
        if len(words) < 2 or "..." in part or not words[-1].isidentifier() or "<" in declared:
            return None
        kind = "typename" if words[0] in ("typename", "class") and len(words) == 2 else words[0]
        found.append((kind, words[-1], default.strip()))
    return tuple(found) or None


def _declared(text: str) -> tuple[str, bool]:
    """Return the name that a template declares, and whether that is a function with a body."""
    found = re.match(r"\s*(?:struct|class)\s+(\w+)", text)
    if found is not None:
        return (found[1] if "{" in text else ""), False
    head = text.partition("(")[0]
    words = _WORD.findall(head)
    return (words[-1], True) if words and "{" in text else ("", True)


def _declaration_start(text: str, use: int) -> int:
    """Return where the declaration of the file begins that a place is in."""
    depth = 0
    at = 0
    is_value = False
    for found in _TOKEN.finditer(text, 0, use):
        token = found[0]
        if token == "=" and depth == 0:
            is_value = True
        if token == "{":
            depth += 1
        elif token == "}":
            depth -= 1
        if depth == 0 and (token == ";" or (token == "}" and not is_value)):
            at = found.end()
            is_value = False
    return at


def _tag(name: str, arguments: Sequence[str]) -> str:
    """Return the tag of a structure that stands for a type of a library."""
    family = re.sub(r"\W+", "_", name.replace(" ", ""))
    family = "hls_stream" if family.endswith("stream") else family
    if family in ("hls_vector", "std_array"):
        return f"{family}_{arguments[1] if len(arguments) > 1 else 0}_{_words(arguments[0])}"
    if family == "hls_stream":
        depth = arguments[1] if len(arguments) > 1 and arguments[1].isdigit() else "0"
        return f"{family}_{depth}_{_words(arguments[0])}"
    return f"{family}_{'_'.join(arguments).replace('-', 'm')}_"


def _words(text: str) -> str:
    return re.sub(r"\W+", "__", text.strip())


def _constants_in(text: str) -> dict[str, int]:
    """Return the whole numbers that constants outside of templates have."""
    found: dict[str, int] = {}
    for one in _CONSTANT.finditer(text):
        value = evaluated(one[2], found)
        if value is not None:
            found[one[1]] = value
    return found


def evaluated(text: str, constants: Mapping[str, int]) -> int | None:
    """Return the value of a constant expression of whole numbers; None if it is none."""
    if len(text) > 200:
        return None
    plain = _WORD.sub(lambda word: str(constants.get(word[0], word[0])), text)
    plain = _NUMBER.sub(lambda number: str(int(number[1], _base(number[1]))), plain)
    plain = plain.replace("/", "//").replace("true", "1").replace("false", "0")
    try:
        return _computed(ast.parse(plain.strip(), mode="eval").body)
    except (SyntaxError, ValueError, ZeroDivisionError, RecursionError, MemoryError):
        return None


def _base(number: str) -> int:
    return 16 if number[:2] in ("0x", "0X") else 10


def _computed(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=bool()):
            return None
        case ast.Constant(value=int(value)):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            value = _computed(operand)
            return None if value is None else -value
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return int(_computed(left) == _computed(right))
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            one, other = _computed(left), _computed(right)
            if one is None or other is None or max(abs(one), abs(other)) > 2**64:
                return None
            return _OPERATIONS[type(op)](one, other)
        case _:
            return None
