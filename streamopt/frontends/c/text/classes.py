"""Classes of C++ as structures, with functions beside them; others are refused by what they have.

Before::

    class window {
        int cells[3];
      public:
        int at(int k) const { return cells[k]; }
    };

After::

    struct window { int cells[3]; };
        int window__at(window &this, int k) { return cells[k]; }

The functions stay at their lines. What their bodies name of the class is found by the rewriting of
structures, `streamopt.frontends.c.lowering`, which also writes calls ``w.at(1)``.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamopt.frontends.c.text.places import Edit, edited, position
from streamopt.frontends.c.text.template_text import TOKEN, closing_brackets, with_values

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from streamopt.frontends.c.problems import Problems
    from streamopt.frontends.c.text.places import Places

_HEAD = re.compile(r"\b(class|struct)\s+(\w+)\s*(?:\bfinal\b\s*)?(:[^:{};()][^{};()]{0,200})?\{")
_LABEL = re.compile(r"\s*\b(?:public|private|protected)\s*:(?!:)")
_METHOD = re.compile(r"(~?\b\w+|\boperator\b[^(]{0,40})\s*\(")
_REFUSED = re.compile(r"\b(operator|virtual|friend|template|static)\b|(~)")
_CONSTANT = re.compile(r"(?:static\s+)+const\s+[\w\s]*?\b(\w+)\s*=")
_INITIAL = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_WORD = re.compile(r"\bthis\s*->|(?<![.\w])(\w+)\b(\s*\(\s*\)?)?")
_CALLED = re.compile(r"\boperator\s*\(\s*\)(?=\s*\()")
_MOST_CLASSES = 300
THIS = "this"
"""The parameter by which a function gets what it belongs to."""
CALLED = "called"
"""The function that ``operator()`` is."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A declaration in a class, or a function with its body."""

    start: int
    end: int
    body: int
    """Where the body of a function opens; -1 for a declaration."""


def without_classes(text: str, places: Places, problems: Problems) -> str:
    """Return a text in which functions of classes stand beside structures.

    What has no such form is reported (E135).
    """
    calls = [(one.start(), one.end(), CALLED) for one in _CALLED.finditer(text)]
    text = edited(text, calls, places)
    at = 0
    for _ in range(_MOST_CLASSES):
        head = _HEAD.search(text, at)
        if head is None:
            break
        at = head.end()
        parts = [*_parts(text, head.end())]
        end = parts[-1].end if parts else head.end()
        close = re.compile(r"\s*\}\s*;").match(text, end)
        is_plain = head[1] == "struct" and not any(
            _is_function(text, part) or _LABEL.match(text, part.start) for part in parts
        )
        if close is None or (is_plain and not head[3]):
            continue
        edits = _rewritten(text, head, parts, problems, places)
        text = edited(text, [*edits, (end, close.end(), "\n" * close[0].count("\n"))], places)
    return text


def _parts(text: str, start: int) -> Iterator[_Part]:
    """Yield the parts of a class, its labels with them, from behind its brace on."""
    at, depth, body = start, 0, -1
    for token in TOKEN.finditer(text, start):
        match token[0]:
            case "{":
                declared = text[at : token.start()]
                if depth == 0 and "=" not in declared and _METHOD.search(declared):
                    body = token.start()
                depth += 1
            case "}":
                depth -= 1
                if depth < 0:
                    return
                if depth == 0 and body >= 0:
                    yield _Part(at, token.end(), body)
                    at, body = token.end(), -1
            case ";" if depth == 0:
                yield _Part(at, token.end(), -1)
                at = token.end()
            case _:
                pass


def _is_function(text: str, part: _Part) -> bool:
    declared = text[part.start : part.end].partition("=")[0].partition("[")[0]
    return part.body >= 0 or (_METHOD.search(declared) is not None and "(*" not in declared)


def _rewritten(
    text: str, head: re.Match[str], parts: list[_Part], problems: Problems, places: Places
) -> Iterator[Edit]:
    """Yield the edits of one class."""
    tag, begin = head[2], head.start()
    closes = closing_brackets(text[begin : parts[-1].end if parts else head.end()])

    def refuse(what: str, start: int, hint: str) -> None:
        loc = places.loc(*position(text, start))
        problems.report("E135", f"{what} is not supported", loc, hint)

    if head[3]:
        refuse(f"class {tag} {' '.join(head[3].split())}", head.start(), "put in what it inherits")
    constants, members, names = list[str](), list[str](), Counter[str]()
    functions: list[tuple[_Part, re.Match[str]]] = []
    for part in parts:
        labels = _LABEL.match(text, part.start)
        start = labels.end() if labels is not None else part.start
        found = _METHOD.search(text, start, part.end) if _is_function(text, part) else None
        head_end = part.body if part.body >= 0 else part.end
        refused = None if found is None else _REFUSED.search(text, start, head_end)
        if refused is not None:
            hint = "write a function with a name of its own"
            refuse(f"{refused[1] or 'a destructor'} in class {tag}", refused.start(), hint)
        elif found is None:
            said = " ".join(text[start : part.end].split())
            (constants if _CONSTANT.match(said) else members).append(said)
        elif part.body >= 0 and (found[1] != tag or _does_anything(text, found.end(), part)):
            functions.append((_Part(start, part.end, part.body), found))
            names[found[1]] += 1
            yield part.start, start, "\n" * text.count("\n", part.start, start)
            continue
        yield part.start, part.end, "\n" * text.count("\n", part.start, part.end)
    words = {n: f"{tag}__{n}" for one in constants for n in _CONSTANT.findall(one)}
    plain = [re.sub(r"^(?:static\s+)+", "static ", with_values(one, words)) for one in constants]
    inside = " ".join(with_values(one, words) for one in members)
    whole = f"{' '.join(plain)} struct {tag} {{ {inside} }};"
    yield head.start(), head.end(), whole + "\n" * head[0].count("\n")
    for part, found in functions:
        if names[found[1]] > 1:
            hint = "rename them" if found[1] != tag else "set members by functions with other names"
            refuse(f"{found[1]} with several forms in class {tag}", found.start(), hint)
        close = closes.get(found.end() - 1 - begin)
        if close is not None:
            yield from _function(text, part, (found, begin + close), tag, {*names}, words)


def _does_anything(text: str, start: int, part: _Part) -> bool:
    """Return whether a constructor sets a member."""
    return ":" in text[start : part.body] or bool(text[part.body + 1 : part.end - 1].strip(" \n;"))


def _function(
    text: str,
    part: _Part,
    declared: tuple[re.Match[str], int],
    tag: str,
    methods: set[str],
    words: Mapping[str, str],
) -> Iterator[Edit]:
    """Yield the edits of a function: its name, its first parameter, and names in its body."""
    found, close = declared
    has_more = text[found.end() : close].strip() not in ("", "void")
    returns = "void " if found[1] == tag else ""
    last = found.end() if has_more else close
    this = f"{returns}{tag}__{found[1]}({tag} &this{', ' if has_more else ''}"
    yield found.start(), last, this
    between = text[close + 1 : part.body]
    sets = "".join(f" {name} = {value};" for name, value in _INITIAL.findall(between))
    yield close + 1, part.body + 1, "\n" * between.count("\n") + "{" + sets
    for word in _WORD.finditer(text, part.body, part.end):
        start, end = word.span()
        before = text[max(0, start - 3) : start].rstrip()
        if word[1] is None:
            yield start, end, "this."
        elif before.endswith(("->", "::")):
            continue
        elif word[1] in methods and word[2]:
            ends = ")" if word[2].endswith(")") else ", "
            yield start, end, f"{tag}__{word[1]}(this{ends}"
        elif word[1] in words:
            yield start, word.end(1), words[word[1]]
