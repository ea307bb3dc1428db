"""Every error and warning code: its meaning, kept in one file, and its messages, from the source.

Messages and hints are read out of the calls that name a code, so that they are always the true
ones; ``...`` stands for what differs from case to case.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache
from pathlib import Path

import streamopt
from streamopt import errors
from streamopt.errors import Diagnostic, OptionError

CODE = re.compile(r"[EW][0-9]{2,3}")
TOP = Path(streamopt.__file__).parent
MEANINGS = TOP / "cli" / "data" / "error_codes.toml"
MOST = 3
"""Messages and hints of a code that are told."""
NEAR = 9
"""Most that a code's number may be off for the nearest code to be suggested."""
UNKNOWN = "..."
_LOOKALIKES = str.maketrans("OIL", "011")
_NAMED = re.compile(r'^(\w+)(?:: Final)? = "([EW][0-9]{2,3})"$', re.MULTILINE)
_IMPORTED = re.compile(r"^from (streamopt\.[\w.]+) import (\([^)]*\)|[^\n]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class ErrorCode:
    """A code with all that is known of it."""

    code: str
    meaning: str
    """One sentence."""
    family: str
    """Name of the exception that carries it, or ``warning``."""
    # messages, hints: as the source writes them, with ``...`` for what differs
    messages: tuple[str, ...]
    hints: tuple[str, ...]
    places: tuple[str, ...]
    """Modules that raise it."""


def known_codes() -> tuple[str, ...]:
    """Return all codes in order, without what is told of them."""
    return tuple(_meanings())


def catalogue() -> dict[str, ErrorCode]:
    """Return all codes in order."""
    meanings = _meanings()
    told = source_codes()
    return {
        code: _error_code(code, meaning, told.get(code, [])) for code, meaning in meanings.items()
    }


def explained(code: str) -> ErrorCode:
    """Return the explanation of a code.

    Raises
    ------
    OptionError
        E548 for an unknown code, with the nearest one if one is near.
    """
    meanings = _meanings()
    code = code.strip().upper()
    if code not in meanings:
        ranges = [[each for each in meanings if each[0] == letter] for letter in "EW"]
        spans = " and ".join(f"{min(each)} to {max(each)}" for each in ranges)
        hint = f"codes are {spans}: see docs/reference/errors.md"
        if close := _nearest_code(code, meanings):
            hint = f"did you mean '{close}'? {hint}"
        raise OptionError(Diagnostic("E548", f"there is no code '{code}'", hint=hint))
    return _error_code(code, meanings[code], source_codes(code).get(code, []))


def _nearest_code(code: str, known: Collection[str]) -> str:
    """Return the code that was meant, or the next one in number; empty where none is near."""
    full = code if code[:1].isalpha() else f"E{code}"
    letter, plain = full[0], full[0] + full[1:].translate(_LOOKALIKES)
    longer = [each for each in known if each.startswith(plain) and plain != letter]
    if longer:
        return longer[0]
    if CODE.fullmatch(plain):
        same = [each for each in known if each[0] == letter and len(each) == len(plain)]
        gaps = {each: abs(int(plain[1:]) - int(each[1:])) for each in same}
        best = min(gaps, key=gaps.__getitem__, default="")
        if best and gaps[best] <= NEAR:
            return best
    return "".join(get_close_matches(plain[:20], known, n=1, cutoff=0.75))


def _parts_of_catalogue() -> dict[str, dict[str, str]]:
    return tomllib.loads(MEANINGS.read_text(encoding="utf-8"))


def _meanings() -> dict[str, str]:
    parts = _parts_of_catalogue().values()
    return {code: meaning for part in parts for code, meaning in part.items()}


@dataclass(frozen=True, slots=True)
class _Use:
    """A call that names a code, with the texts behind it."""

    place: str
    message: str
    hint: str


def _error_code(code: str, meaning: str, uses: list[_Use]) -> ErrorCode:
    messages = dict.fromkeys(use.message for use in uses if _says_something(use.message))
    hints = dict.fromkeys(use.hint for use in uses if _says_something(use.hint))
    places = dict.fromkeys(use.place for use in uses)
    return ErrorCode(
        code, meaning, _family(code), tuple(messages)[:MOST], tuple(hints)[:MOST], tuple(places)
    )


def _says_something(text: str) -> bool:
    return re.search(r"[a-z]{2} [a-z]|[a-z] [a-z]{2}", text) is not None


def _family(code: str) -> str:
    """Return the exception whose docstring has the code's number, the closest one."""
    if code.startswith("W"):
        return "warning"
    best = ("", 0)
    for name in errors.__all__:
        doc = getattr(errors, name).__doc__ or ""
        for found in re.finditer(r"E(\d+)(x*)(?: to E(\d+))?", doc):
            first, wild, last = found[1], found[2], found[3]
            inside = code[1:].startswith(first) if wild else first <= code[1:] <= (last or first)
            if inside and len(first) + bool(last) > best[1]:
                best = (name, len(first) + bool(last))
    return best[0] or "StreamoptError"


@cache
def source_codes(only: str = "") -> dict[str, list[_Use]]:
    """Return the uses of every code in the source, or of one."""
    texts = {path: path.read_text(encoding="utf-8") for path in sorted(TOP.rglob("*.py"))}
    found: dict[str, list[_Use]] = {}
    for path, text in texts.items():
        names = _named_codes(text, texts)
        if not names and not re.search(f'"{only or CODE.pattern}"', text):
            continue
        place = ".".join(path.relative_to(TOP.parent).with_suffix("").parts)
        for code, use in _uses(ast.parse(text), place.removesuffix(".__init__"), names):
            if only in ("", code):
                found.setdefault(code, []).append(use)
    return found


def _named_codes(text: str, texts: dict[Path, str]) -> dict[str, str]:
    """Return the codes that a module has names for, its own and those that it imports."""
    own = dict(_NAMED.findall(text))
    for module, imported in _IMPORTED.findall(text):
        there = dict(_NAMED.findall(texts.get(TOP.parent / f"{module.replace('.', '/')}.py", "")))
        own |= {name: there[name] for name in re.findall(r"\w+", imported) if name in there}
    return own


def _uses(tree: ast.Module, place: str, names: dict[str, str]) -> Iterator[tuple[str, _Use]]:
    """Yield every code with the texts behind it, in calls and tuples of functions."""

    def code_of(node: ast.AST) -> str:
        match node:
            case ast.Constant(value=str(text)) if CODE.fullmatch(text):
                return text
            case ast.Name(id=name):
                return names.get(name, "")
            case _:
                return ""

    for scope in ast.walk(tree):
        if not isinstance(scope, ast.FunctionDef | ast.Module):
            continue
        for node in ast.walk(scope):
            parts = _parts(node)
            at = next((at for at, part in enumerate(parts) if code_of(part)), None)
            if at is None or (isinstance(scope, ast.Module) and isinstance(node, ast.Call)):
                continue
            texts = [_template(part, scope, parts[at].lineno) for part in parts[at + 1 :]]
            hints = [
                _template(keyword.value, scope, parts[at].lineno)
                for keyword in getattr(node, "keywords", ())
                if keyword.arg in ("hint", "remedy")
            ]
            said = [text for text in texts[1:] if text != UNKNOWN]
            yield code_of(parts[at]), _Use(place, "".join(texts[:1]), "".join((hints or said)[:1]))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and code_of(node):
            yield code_of(node), _Use(place, "", "")


def _parts(node: ast.AST) -> list[ast.expr]:
    match node:
        case ast.Call(args=parts) | ast.Tuple(elts=parts):
            return parts
        case _:
            return []


def _template(node: ast.expr, scope: ast.AST, line: int) -> str:
    """Return the text of an expression, with ``...`` for what isn't known."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(_template(part, scope, line) for part in parts)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return _template(left, scope, line) + _template(right, scope, line)
        case ast.IfExp(body=body):
            return _template(body, scope, line)
        case ast.Name(id=name) | ast.FormattedValue(value=ast.Name(id=name)):
            return _assigned(name, scope, line)
        case _:
            return UNKNOWN


def _assigned(name: str, scope: ast.AST, line: int) -> str:
    """Return the text that a function last gave a name before a line."""
    found = UNKNOWN
    before = [node for node in ast.walk(scope) if isinstance(node, ast.stmt) and node.lineno < line]
    for node in sorted(before, key=lambda each: each.lineno):
        match node:
            case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == name:
                found = _template(value, scope, node.lineno)
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                for target, value in zip(targets, values, strict=False):
                    if isinstance(target, ast.Name) and target.id == name:
                        found = _template(value, scope, node.lineno)
            case ast.AugAssign(target=ast.Name(id=target), value=value) if target == name:
                found += _template(value, scope, node.lineno)
            case _:
                pass
    return found


def errors_page() -> str:
    """Return the page of all codes in Markdown."""
    told = source_codes()
    lines = [
        "# Errors and warnings",
        "",
        "An error has a stable code, says what is wrong in your names and where, and hints at what",
        "to change. `streamopt explain E401` tells the same on the command line. In Python a",
        "`StreamoptError` has its `diagnostics`. `...` stands for what differs.",
    ]
    for part, meanings in _parts_of_catalogue().items():
        lines += ["", f"## {part}", "", "| code | meaning | message | hint |", "|---|---|---|---|"]
        for code, meaning in meanings.items():
            known = _error_code(code, meaning, told.get(code, []))
            cells = (code, meaning, "".join(known.messages[:1]), "".join(known.hints[:1]))
            lines.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join([*lines, ""])


def _cell(text: str) -> str:
    first = text.splitlines()[0] if text else ""
    return re.sub(r"([|<>*_\[\]])", r"\\\1", first)
