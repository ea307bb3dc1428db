"""The text of templates: where they begin and end, what they are called, what arguments are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, TypeAlias

from pcpp.evaluator import Evaluator

from streamopt.frontends.c.text.places import Spot

Row: TypeAlias = "list[Spot]"
"""Where the tokens of a line are."""

STREAM = "hls_stream_"
"""How the tags of streams begin: a depth, 0 where none is said, and the element follow."""
_MAX_ARGUMENTS = 4_000
"""Characters of arguments in angle brackets."""
TOKEN = re.compile(
    r""""(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_]\w*|\.?\d(?:[eEpP][+-]|[\w.])*|::|>=|<=|[^\s]"""
)
_HEAD = re.compile(r"\btemplate\s*<")
_CONSTANT = re.compile(
    r"\bconst\s+(?:static\s+)?(?:(?:unsigned|int|short|long|char|size_t|u?int\d+_t)\s+)+"
    r"(\w+\s*=[^;{}]{1,200});"
)
_ENUMERATORS = re.compile(r"\benum\b[^{};()]{0,100}\{([^{}]*)\}")
_DECIDED = re.compile(r"\bif\s+static\s+const\s*\(")
_BRANCH = re.compile(r"\s*(?:\{|((?:if|for|while)\b[^;{}(]*\()|[^;{}]*;)")
_ELSE = re.compile(r"\s*else\b")
_WORD = re.compile(r"\b[A-Za-z_]\w*\b")
_FREE_WORD = re.compile(r"(?<!::)\b[A-Za-z_]\w*\b")
_ARITHMETIC = re.compile(r"[-+*/%<>=!&|^~?:()\s\da-fA-FuUlLxX]+")


def replaced_words(line: str, row: Row, words: Mapping[str, str]) -> tuple[str, Row]:
    """Return a line with other words, and where its tokens are then.

    The first of them is the template's name, which stays where arguments follow.
    """
    name = next(iter(words))
    parts: list[str] = []
    moves: list[tuple[int, int]] = []
    end = 0
    for found in _WORD.finditer(line):
        new = words.get(found[0])
        before = line[max(0, found.start() - 4) : found.start()].rstrip()
        is_other = found[0] == name and line[found.end() : found.end() + 4].lstrip()[:1] == "<"
        if new is not None and not before.endswith((".", "->")) and not is_other:
            parts += [line[end : found.start()], new]
            end = found.end()
            moves.append((end + 1, len(new) - len(found[0])))
    spots: Row = []
    for spot in row:
        by = sum(shift for column, shift in moves if column <= spot.column)
        spots.append(replace(spot, column=spot.column + by) if by else spot)
    return "".join([*parts, line[end:]]), spots


def with_values(text: str, values: Mapping[str, object]) -> str:
    """Return a text with values in place of names, but not of those in a class."""
    return _FREE_WORD.sub(lambda word: str(values.get(word[0], word[0])), text)


def blank(text: str) -> str:
    """Return spaces and line ends in place of a text."""
    return re.sub(r"[^\n]", " ", text)


def definitions(text: str) -> Iterator[tuple[int, int]]:
    """Yield where templates begin and end."""
    at = 0
    while found := _HEAD.search(text, at):
        at = _end_of_declaration(text, found.end())
        yield found.start(), at


def _end_of_declaration(text: str, start: int) -> int:
    """Return the end of a definition: behind its body, and the semicolon of a structure."""
    depth = 0
    is_type = False
    for found in TOKEN.finditer(text, start):
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


def closing_brackets(text: str) -> dict[int, int]:
    """Return where each bracket closes, by where it opens."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for token in TOKEN.finditer(text):
        if token[0] in "([{":
            opened.append(token.start())
        elif token[0] in ")]}" and opened:
            found[opened.pop()] = token.start()
    return found


def closing(text: str, opening: int) -> int | None:
    """Return where the angle bracket closes that opens at a place."""
    depth = round_depth = 0
    for found in TOKEN.finditer(text, opening, opening + _MAX_ARGUMENTS):
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


def decided(text: str, constants: Mapping[str, int]) -> str:
    """Return a text without the branches of ``if constexpr`` that constants don't take."""
    while (found := _DECIDED.search(text)) is not None:
        closes = closing_brackets(text)
        body = closes.get(found.end() - 1, found.end()) + 1
        asked = evaluated(text[found.end() : body - 1], constants)
        end = end_of_branch(text, body, closes)
        other = _ELSE.match(text, end)
        behind = end if other is None else other.end()
        last = end if other is None else end_of_branch(text, behind, closes)
        spans = [(found.start(), body if asked else behind), (end, last if asked else behind)]
        for start, stop in spans if asked is not None else [(found.start() + 2, found.end() - 1)]:
            text = text[:start] + blank(text[start:stop]) + text[stop:]
    return text


def end_of_branch(text: str, start: int, closes: Mapping[int, int]) -> int:
    """Return the end of the statement that begins at a place."""
    found = _BRANCH.match(text, start)
    if found is None:
        return start
    if text[found.end() - 1] == ";":
        return found.end()
    end = closes.get(found.end() - 1, found.end()) + 1
    if not found[1]:
        return end
    end = end_of_branch(text, end, closes)
    other = _ELSE.match(text, end)
    return end if other is None else end_of_branch(text, other.end(), closes)


def parts_of(text: str) -> list[str]:
    """Return the parts between commas, outside of brackets."""
    found = [""]
    depth = angles = 0
    for character in text:
        depth += (character in "([{") - (character in ")]}")
        angles += 0 if depth else (character == "<") - (character == ">")
        if character == "," and depth == angles == 0:
            found.append("")
        else:
            found[-1] += character
    return [part.strip() for part in found if part.strip()]


def parameters_of(text: str) -> tuple[tuple[str, str, str], ...] | None:
    """Return the parameters of a template; None where they are no numbers and types."""
    found: list[tuple[str, str, str]] = []
    for part in parts_of(text):
        declared, _, default = part.partition("=")
        words = declared.split()
        if len(words) < 2 or "..." in part or not words[-1].isidentifier() or "<" in declared:
            return None
        kind = "typename" if words[0] in ("typename", "class") and len(words) == 2 else words[0]
        found.append((kind, words[-1], default.strip()))
    return tuple(found) or None


def declared_name(text: str) -> tuple[str, bool]:
    """Return the name that a template declares, and whether that is a function with a body."""
    found = re.match(r"\s*(?:(?:struct|class)\s+(\w+)|using\s+(\w+)\s*=)", text)
    if found is not None:
        return found[2] or (found[1] if "{" in text else ""), False
    head = text.partition("(")[0]
    words = _WORD.findall(head)
    return (words[-1], True) if words and "{" in text else ("", True)


def declaration_start(text: str, use: int) -> int:
    """Return where the declaration of the file begins that a place is in."""
    depth = 0
    at = 0
    is_value = False
    for found in TOKEN.finditer(text, 0, use):
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


def library_tag(name: str, arguments: Sequence[str]) -> str:
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


def constants_in(text: str, known: Mapping[str, int] | None = None) -> dict[str, int]:
    """Return the whole numbers of constants, of those that have one in the whole text."""
    found, doubles = dict(known or {}), set[str]()
    own: dict[str, int] = {}
    for one in (*_CONSTANT.finditer(text), *_ENUMERATORS.finditer(text)):
        next_one = "0" if one.re is _ENUMERATORS else ""
        for part in parts_of(one[1]):
            name, _, value = part.partition("=")
            number = evaluated(value or next_one, found)
            next_one = f"{number} + 1" if next_one else ""
            if number is not None:
                doubles |= {name.strip()} & {n for n, old in own.items() if old != number}
                found[name.strip()] = own[name.strip()] = number
    return {name: number for name, number in found.items() if name not in doubles}


def evaluated(text: str, constants: Mapping[str, int]) -> int | None:
    """Return the value of a constant expression of whole numbers; None if it is none."""
    plain = with_values(text, {"true": 1, "false": 0, **constants})
    shifts = "<<" in plain and any(len(number) > 2 for number in re.findall(r"\d+", plain))
    if len(text) > 200 or shifts or not _ARITHMETIC.fullmatch(plain):
        return None
    try:
        return int(_evaluator()(plain).value())
    except Exception:  # names, types, divisions by 0: the library raises what it likes
        return None


@cache
def _evaluator() -> Any:
    return Evaluator()
