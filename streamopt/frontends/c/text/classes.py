"""Classes of C++ as structures, with functions beside them; others are refused by what they have.

Before::

    class window {
        int cells[3];
      public:
        int at(int k) const;
    };
    int window::at(int k) const { return cells[k]; }

After::

    struct window { int cells[3]; };
    int window__at(window &this, int k) { return cells[k]; }

The functions stay at their lines. What their bodies name of the class is found by the rewriting of
structures, `streamopt.frontends.c.lowering`, which also writes calls ``w.at(1)`` and chooses among
functions of one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.text.places import Edit, Places, edited, position
from streamopt.frontends.c.text.template_text import TOKEN, blank, closing_brackets, with_values

_HEAD = re.compile(r"\b(class|struct)\s+(\w+)\s*(?:\bfinal\b\s*)?(:[^:{};()][^{};()]{0,200})?\{")
_LABEL = re.compile(r"\s*\b(?:public|private|protected)\s*:(?!:)")
_METHOD = re.compile(r"(~?\b\w+|\boperator\b[^(]{0,40})\s*\(")
_REFUSED = re.compile(r"\b(operator|virtual|template)\b|(~)")
_NOTHING = re.compile(r"(?<=[;{}:\s])~\w+\s*\([\s\w]*\)\s*(?:\{\s*\}|=\s*default\s*;)")
_FRIEND = re.compile(r"\s*friend\b")
_ENUMERATED = re.compile(r"enum\s*(\w*)\s*\{([^{}]*)\}\s*;")
_STARTED = re.compile(r"([^={}()]*?\b(\w+))\s*(?:=\s*([^{};]+)|\{([^{};]*)\})\s*;")
_CONSTANT = re.compile(r"(?:static\s+)+const\s+[\w\s]*?\b(\w+)\s*(?:\[[^=;]*)?(=|;)")
_TYPE = re.compile(r"typedef\b[^{};]*?\b(\w+)\s*;()|using\s+(\w+)\s*=")
_INITIAL = re.compile(r"(\w+)\s*\(([^()]*(?:\([^()]*\)[^()]*)*)\)")
_WORD = re.compile(r"\bthis\s*->|\*\s*this\b|(?<![.\w])(\w+)\b(\s*\(\s*\)?)?")
_ITSELF = re.compile(r"\breturn\s*\*\s*this\s*;")
_REFERENCE = re.compile(r"\b\w+\s*(&)\s*\Z")
_CLOSE = re.compile(r"\s*\}\s*;")
_BODY = re.compile(r"\s*(?:const\b\s*)?(?::[^:{};][^{};]{0,1000})?\{")
_OPERATOR = re.compile(r"\boperator\s*(\(\s*\)|\[\s*\]|[-+*/%&|^]=?|[=!<>]=|<<|>>|[<>~!])(?=\s*\()")
_QUALIFIED = re.compile(r"\b(?!(?:std|hls|tapa)\b)(\w+)\s*::\s*(\w+)\s*(\(?)")
_DECLARED = (_CONSTANT, _TYPE, _ENUMERATED, _STARTED)
_MOST_READ = 10
"""How often a text is read, which classes in classes do again."""
THIS = "this"
"""The parameter by which a function gets what it belongs to."""


def operator_name(symbol: str) -> str:
    """Return the function that an operator is."""
    return "_".join(["operator", *(str(ord(one)) for one in symbol if one != " ")])


CALLED, SUBSCRIPTED = operator_name("()"), operator_name("[]")
"""The functions that ``operator()`` and ``operator[]`` are."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A declaration in a class, or a function with its body."""

    start: int
    end: int
    body: int
    """Where the body of a function opens; -1 for a declaration."""


@dataclass(frozen=True, slots=True)
class _Class:
    """The names that a class declares: functions, those of them that are static, and the rest."""

    tag: str
    methods: set[str] = field(default_factory=set[str])
    static: set[str] = field(default_factory=set[str])
    words: dict[str, str] = field(default_factory=dict[str, str])
    starts: dict[str, str] = field(default_factory=dict[str, str])
    """The values of members before a constructor runs."""

    @property
    def beginning(self) -> str:
        """Return the statements by which constructors begin."""
        return "".join(f" {THIS}.{name} = {value};" for name, value in self.starts.items())


def without_classes(text: str, places: Places, problems: Problems) -> str:
    """Return a text in which functions of classes stand beside structures.

    What has no such form is reported (E135).
    """
    text = _NOTHING.sub(lambda found: blank(found[0]), text)
    named = _OPERATOR.finditer(text)
    text = edited(text, [(one.start(), one.end(), operator_name(one[1])) for one in named], places)
    known: dict[str, _Class] = {}
    left = _MOST_READ * len(text)
    for _ in range(_MOST_READ):
        edits: list[Edit] = []
        at = 0
        while left >= 0 and (head := _HEAD.search(text, at)) is not None:
            at = head.end()
            parts, stop = _parts(text, at)
            left -= stop - at
            end = parts[-1].end if parts else at
            close = _CLOSE.match(text, end)
            if close is None or (_is_plain(text, head, parts) and not head[3]):
                continue
            own = known[head[2]] = _Class(head[2])
            edits += _rewritten(text, head, parts, own, problems, places)
            edits.append((end, close.end(), "\n" * close[0].count("\n")))
            at = close.end()
        if not edits:
            break
        text = edited(text, edits, places)
    return edited(text, _outside(text, known), places) if known else text


def _is_plain(text: str, head: re.Match[str], parts: list[_Part]) -> bool:
    """Return whether a structure has neither functions nor labels, constants and types."""
    return head[1] == "struct" and not any(
        _is_function(text, part)
        or any(one.match(text[part.start : part.end].lstrip()) for one in _DECLARED)
        or _LABEL.match(text, part.start)
        for part in parts
    )


def _parts(text: str, start: int) -> tuple[list[_Part], int]:
    """Return the parts of a class, its labels with them, from its brace on, and where it ends."""
    found: list[_Part] = []
    at, depth, body = start, 0, -1
    for token in TOKEN.finditer(text, start):
        match token[0]:
            case "{":
                if depth == 0:
                    declared, opens, _ = text[at : token.start()].partition("(")
                    is_function = "=" not in declared and _METHOD.search(declared + opens)
                    body = token.start() if is_function else body
                depth += 1
            case "}":
                depth -= 1
                if depth < 0:
                    return found, token.start()
                if depth == 0 and body >= 0:
                    found.append(_Part(at, token.end(), body))
                    at, body = token.end(), -1
            case ";" if depth == 0:
                found.append(_Part(at, token.end(), -1))
                at = token.end()
            case _:
                pass
    return found, len(text)


def _is_function(text: str, part: _Part) -> bool:
    declared = text[part.start : part.end].partition("=")[0].partition("[")[0]
    return part.body >= 0 or (_METHOD.search(declared) is not None and "(*" not in declared)


def _rewritten(
    text: str,
    head: re.Match[str],
    parts: list[_Part],
    own: _Class,
    problems: Problems,
    places: Places,
) -> Iterator[Edit]:
    begin = head.start()
    closes = closing_brackets(text[begin : parts[-1].end if parts else head.end()])
    if head[3]:
        message = f"class {own.tag} {' '.join(head[3].split())} is not supported"
        loc = places.loc(*position(text, begin))
        problems.report("E135", message, loc, "put in what it inherits")
    before, members = list[str](), list[str]()
    functions: list[tuple[_Part, re.Match[str]]] = []
    for part in parts:
        labels = _LABEL.match(text, part.start)
        start = labels.end() if labels is not None else part.start
        found = _METHOD.search(text, start, part.end) if _is_function(text, part) else None
        end = part.end
        if (friend := _FRIEND.match(text, start, part.end)) is not None:
            end = part.end if part.body < 0 else friend.end()
        elif found is None:
            _keep(" ".join(text[start:end].split()), own, before, members)
        elif (refused := _REFUSED.search(text, start, max(part.body, found.end()))) is not None:
            message = f"{refused[1] or 'a destructor'} in class {own.tag} is not supported"
            loc = places.loc(*position(text, refused.start()))
            problems.report("E135", message, loc, "write a function with a name of its own")
        else:
            own.methods.add(found[1])
            if re.search(r"\bstatic\b", text[start : found.start()]):
                own.static.add(found[1])
            if part.body >= 0 or "=" in text[found.end() : part.end].rpartition(")")[0]:
                functions.append((_Part(start, part.end, part.body), found))
                end = start
        yield part.start, end, "\n" * text.count("\n", part.start, end)
    yield begin, head.end(), _structure(own, before, members) + "\n" * head[0].count("\n")
    for part, found in functions:
        close = closes.get(found.end() - 1 - begin)
        if close is not None:
            yield from _function(text, part, found.span(1), begin + close, own)


def _structure(own: _Class, before: list[str], members: list[str]) -> str:
    """Return the structure of a class, behind its constants and types."""
    made = ""
    if own.starts and own.tag not in own.methods:
        own.methods.add(own.tag)
        made = f" void {own.tag}__{own.tag}({own.tag} &{THIS}) {{{own.beginning} }}"
    outside, inside = (with_values(" ".join(one), own.words) for one in (before, members))
    return f"{outside} struct {own.tag} {{ {inside} }};{made}"


def _keep(said: str, own: _Class, before: list[str], members: list[str]) -> None:
    """Note a declaration that is no function's: constants and types stand before the structure."""
    named = _CONSTANT.match(said) or _TYPE.match(said)
    if (listed := _ENUMERATED.fullmatch(said)) is not None:
        names = [listed[1], *re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", listed[2].strip())]
        own.words.update((name, f"{own.tag}__{name}") for name in names if name)
        before.append(said)
        return
    if named is None:
        started = _STARTED.fullmatch(said)
        if started is not None:
            own.starts[started[2]] = started[3] or started[4] or "0"
            said = f"{started[1]};"
        members.append(said.strip("; ") and said)
        return
    name = named[1] or named[3]
    own.words[name] = f"{own.tag}__{name}"
    if named[2] != ";":
        before.append(re.sub(r"^(?:static\s+)+", "static ", said))


def _outside(text: str, known: dict[str, _Class]) -> Iterator[Edit]:
    """Yield the edits of functions that stand outside of their classes, and of qualified names."""
    closes = closing_brackets(text)
    for found in _QUALIFIED.finditer(text):
        close = closes.get(found.start(3)) if found[3] else None
        body = None if close is None else _BODY.match(text, close + 1)
        if found[1] not in known:
            continue
        if close is not None and body is not None and body.end() - 1 in closes:
            part = _Part(found.start(), closes[body.end() - 1] + 1, body.end() - 1)
            yield from _function(text, part, (found.start(), found.end(2)), close, known[found[1]])
        else:
            yield found.start(), found.start(2), f"{found[1]}__"


def _function(
    text: str, part: _Part, name: tuple[int, int], close: int, own: _Class
) -> Iterator[Edit]:
    """Yield the edits of a function: its name, its first parameter, and names in its body."""
    begin, end = name
    tag, method = own.tag, text[begin:end].rpartition(":")[2].strip()
    opening = text.index("(", end) + 1
    has_more = text[opening:close].strip() not in ("", "void")
    returned = _REFERENCE.search(text, max(part.start, begin - 100), begin)
    gives_itself = returned is not None and (
        part.body < 0 or _ITSELF.search(text, part.body, part.end) is not None
    )
    if gives_itself and returned is not None:
        yield returned.start(), begin, "void "
    elif returned is not None:
        yield *returned.span(1), " "
    this = "" if method in own.static else f"{tag} &{THIS}{', ' if has_more else ''}"
    first = f"{'void ' if method == tag else ''}{tag}__{method}({this}"
    yield begin, opening if has_more else close, first
    if part.body < 0:
        yield close + 1, part.end, ";" + "\n" * text.count("\n", close, part.end)
        return
    between = text[close + 1 : part.body]
    sets = "".join(
        f" {THIS} = {tag}__{tag}({value});" if name == tag else f" {name} = {value};"
        for name, value in _INITIAL.findall(between)
    )
    starts = own.beginning if method == tag else ""
    yield close + 1, part.body + 1, "\n" * between.count("\n") + "{" + starts + sets
    for one in _ITSELF.finditer(text, part.body, part.end) if gives_itself else ():
        yield one.start(), one.end(), "return;" + "\n" * one[0].count("\n")
    for word in _WORD.finditer(text, part.body, part.end):
        start, end = word.span()
        if word[1] is None:
            yield start, end, THIS if word[0].startswith("*") else f"{THIS}."
        elif text[max(0, start - 3) : start].rstrip().endswith(("->", "::")):
            continue
        elif word[1] in own.methods and word[2] and word[1] != tag:
            ends = ")" if word[2].endswith(")") else ", "
            this = word[2] if word[1] in own.static else f"({THIS}{ends}"
            yield start, end, f"{tag}__{word[1]}{this}"
        elif word[1] in own.words:
            yield start, word.end(1), own.words[word[1]]
