"""C++ that is C in other words, written as C; other C++ is refused by its name.

::

    extern "C" { ... }      its text alone
    std::max<int>(a, b)     max(a, b)
    using T = float;        typedef float T;
    static_cast<int>(x)     (int)(x), as int(x)
    pair p{1, 2}; pair{1}   pair p = {1, 2}; (pair){1}
    box b(1); box{2}        box b = box__box(1); box__box(2), where the class has constructors
    void f(int n = 3)       void f(_Alignas(3) int n)
    float (&a)[8]           float a[8]
    const int &n            const int n
    float &sum              float * _Atomic sum, which the reader takes for a reference
    struct pair { ... };    typedef struct pair pair; struct pair { ... };
    class box { int f(); }; see `streamopt.frontends.c.text.classes`
    namespace n { ... }     its text alone
    std::sqrt(x), sqrt(x)   __tg_sqrt(x)
    for (T x : a) y += x;   for (int x__at = 0; ...; x__at++) { T x = a[x__at]; y += x; }
    std::cout << x;         nothing
    f<8>(x), ap_int<12> x   f_T1(x), struct ap_int_12_ x: see `streamopt.frontends.c.text.templates`
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from itertools import islice

from streamopt.frontends.c.problems import Problems
from streamopt.frontends.c.text.blocks import bursts, locks
from streamopt.frontends.c.text.classes import without_classes
from streamopt.frontends.c.text.places import Edit, Places, edited, position
from streamopt.frontends.c.text.template_text import blank, closing_brackets, end_of_branch
from streamopt.frontends.c.text.templates import PlainText, without_templates
from streamopt.ir.operators import Function

_BUILT_IN_TEXT = """
_Bool char double float half int long short signed unsigned
size_t ptrdiff_t intptr_t uintptr_t intmax_t uintmax_t
"""
_BUILT_IN = {*_BUILT_IN_TEXT.split()} | {
    f"{sign}int{kind}{bits}_t"
    for sign in ("", "u")
    for kind in ("", "_fast", "_least")
    for bits in (8, 16, 32, 64)
}
_ALIAS = re.compile(r"\busing[ ]+(\w+)[ ]*=")
_BLANK = re.compile(
    r"\b(?:(?:using[ ]+[\w: ]{1,200}|static_assert[ ]*\([^;{}]{0,400});"
    r"|typename[ ]+|inline[ ]+(?=constexpr\b))"
)
_SCOPES = re.compile(r"\b(?:std|hls)[ ]*::[ ]*(?!(?:stream|vector|array)\b)")
_FUNCTION = re.compile(rf"(?<!\.)(?<!->)\b(?:{'|'.join(one.c_name for one in Function)})(?=[ ]*\()")
OVERLOADED = "__tg_"
"""How functions begin whose arguments decide the precision, as with C's ``<tgmath.h>``."""
_LINKAGE = re.compile(r'\bextern\s*"C"(?:\s*\{)?')
_ARRAY_REFERENCE = re.compile(r"\([ ]*&[ ]*(\w+)[ ]*\)(?=[ ]*\[)")
_STATIC_CAST = re.compile(r"\bstatic_cast[ ]*<([^<>;(){}]*)>")
_CAST = re.compile(
    r"(?:(?<=[-+*/%=<>?:&|,(\[])[ ]*|\breturn[ ]+)\b((?:struct[ ]+)?(\w+))[ ]*(?=\((?![ ]*\*)[^)])"
)
_BRACED = re.compile(
    r"(?:(?<=[-+*/%=<>?:&|,(\[])[ ]*|\breturn[ ]+)\b((?:struct[ ]+)?(\w+))[ ]*(?=\{)"
    r"|\b(\w+)[ ]+\w+(?:\[[^]\n{};]*\])*[ ]*()(?=\{)|,[ ]*(\w+)(?=\{)"
)
_DEFAULT = re.compile(
    r"(?<=[(,])[ ]*((?:\w+[ *&]+){1,6}\w+[ ]*)=(?!=)((?:[^,;{}()]|\([^;{}()]*\)){1,200})(?=[,)])"
)
_CONTROL = re.compile(r"\b(?:for|if|while|switch)[ ]*\([ ]*\Z")
_CONSTRUCTOR = re.compile(r"\b(\w+)__\1[ ]*\(\1[ ]*&this\b")
_OTHER_NAME = re.compile(
    r"\btypedef[ ]+(?:std::)?(\w+)[ ]+(\w+)[ ]*;|\busing[ ]+(\w+)[ ]*=[ ]*(?:std::)?(\w+)[ ]*;"
)
_DECLARATOR = re.compile(r"[ ,]*(\w+)[ ]*([({,]?)")
_LISTED = re.compile(
    r"(?:\breturn|(?<=[;{})])\s*[\w.]{1,99}(?:\[[^]\n]{1,99}\][\w.]{0,99})*[ ]*=)[ ]*(?=\{)"
)
_GIVEN_REFERENCE = re.compile(r"(?<=\w)[ ]*&(?=[ ]*\w+[ ]*\([^;{}]{0,500}\)\s*\{)")
_REFERENCE = re.compile(
    r"(\bconst[ ]+(?:struct[ ]+)?)?\b(\w+)([ ]+const)?[ ]*(&)[ ]*\w+[ ]*(?=[,)=;])"
)
_LIBRARY_TAG = re.compile(r"\bstruct[ ]+((?:auto_|ap_u?int|ap_u?fixed|hls_|std_array|tparam_)\w*)")
_QUALIFIED = re.compile(r"\b(\w+)\s*::")
_NAMESPACE = re.compile(r"\b(?:inline\s+)?namespace\s+([\w:]*)\s*(?:\{|=[\w:\s]+;)")
_EACH = re.compile(r"\bfor\s*\(([^;:(){}]{1,200}[\s&])(\w+)\s*:(?!:)\s*([\w.[\]]{1,200})\s*\)")
_OUTPUT = re.compile(
    r"\b(?:std\s*::\s*)?(?:cout|cerr|clog)\s*<<"
    r"(?:[^;\"'\n]|\n|\"(?:[^\"\\\n]|\\.){0,500}\"|'(?:[^'\\\n]|\\.)'){0,2000}?(?=;)"
)
_EXPLICIT = re.compile(r"(?<=\bmax|\bmin|\babs)[ ]*<[\w ]+>(?=[ ]*\()")
_STREAM_DECLARED = re.compile(
    r"\bstruct[ ]+hls_stream_\w+[^;{}()]{0,500}(?:\([^;{}()]{0,200}\)[^;{}()]{0,200}){0,20};"
)
_STREAM_NAME = re.compile(r"(?<=\w)[ ]*\([ ]*\"[^\"\n]*\"[ ]*\)")
_CLOSED = re.compile(r"\}\s*(\w+)\s*\Z")
_INFERRED = re.compile(r"\bauto\b")
_LAST_WORD = re.compile(r"\w+")

_SCOPED = re.compile(r"\benum\s+(?:class|struct)\s+(\w+)\s*(?::[^{};]*)?\{([^{}]*)\}")
_STRUCTURE = re.compile(r"(\btypedef\s+)?\b(struct|union|enum)\s+(\w+)\s*\{")
_REFUSED = re.compile(
    r"\b(?:(template)\s*<|(operator)\b|(?:std|hls|tapa)\s*::\s*(\w+)\s*<|(ap_[a-z]\w*)\s*<"
    r"|(?:hls|tapa)\s*::\s*(task|merge|split|stream_of_blocks)\b)"
    r"|(?<=[=(,])\s*(\[[&=\w, ]{0,200}\])(?=\s*\([^(){};]{0,200}\)\s*\{)"
)
_HINTS = {
    "template": "write the function for the types that it is used with",
    "operator": "write a function with a name of its own",
    "vector": "use arrays: float x[N]",
    "task": "write a function with loops of so many iterations as there are data",
}
_MOST_TOLD = 100


def as_c(text: str, places: Places, problems: Problems) -> PlainText:
    """Return C++ as C; the places of what moves within its line are kept.

    What has no counterpart is reported (E135).
    """
    spaces = {name for found in _NAMESPACE.finditer(text) for name in found[1].split("::")}
    text = _blanked(_blanked(text, _LINKAGE), _NAMESPACE)
    text = edited(text, _scoped(text), places)
    text = _unqualified(text, spaces - {"hls", "std", "tapa"})
    text = edited(text, locks(text), places)
    text = edited(text, bursts(text), places)
    for pattern in (_OUTPUT, _EXPLICIT):
        text = pattern.sub(_blank, text)
    written = without_templates(text, places, problems)
    text = without_classes(written.text, places, problems)
    text = _GIVEN_REFERENCE.sub(_blank, text)
    text = edited(text, _each(text), places)
    functions = _FUNCTION.finditer(text)
    text = edited(text, ((one.start(), one.start(), OVERLOADED) for one in functions), places)
    for start, what, hint in islice(_refused(text), _MOST_TOLD):
        loc = places.loc(*position(text, start))
        problems.report("E135", f"{what} is not supported", loc, hint)
    inferred = ((one.start(), one.end(), "struct auto_") for one in _INFERRED.finditer(text))
    streams = _STREAM_DECLARED.finditer(text)
    named = [name for one in streams for name in _STREAM_NAME.finditer(text, *one.span())]
    text = edited(text, [*((*name.span(), "") for name in named), *inferred], places)
    structures = [one for one in _STRUCTURE.finditer(text) if not one[1]]
    tags = {found[1] for found in _LIBRARY_TAG.finditer(text)} | {one[3] for one in structures}
    typed = ((one.start(), f"typedef {one[2]} {one[3]} {one[3]}; ") for one in structures)
    text = edited(text, ((start, start, new) for start, new in typed), places)
    for pattern in (_BLANK, _SCOPES):
        text = pattern.sub(_blank, text)
    text = _unqualified(text, spaces)
    types = _BUILT_IN | tags | {*_type_names(text)}
    text = edited(text, [*_defaults(text), *_constructed(text)], places)
    text = edited(text, _rewritten(text), places)
    casts = (one for one in _CAST.finditer(text) if one[2] in types)
    text = edited(text, ((one.start(1), one.end(), f"({one[1]})") for one in casts), places)
    text = edited(text, _braced(text, types), places)
    written.text = edited(text, _references(text, types), places)
    return written


def _blank(found: re.Match[str]) -> str:
    return blank(found[0])


def _unqualified(text: str, spaces: Container[str]) -> str:
    """Return a text without the names of some namespaces in front of others."""
    return _QUALIFIED.sub(lambda found: _blank(found) if found[1] in spaces else found[0], text)


def _scoped(text: str) -> Iterator[Edit]:
    """Yield edits that put the names of an ``enum class`` beside others: ``kind__one``."""
    for one in _SCOPED.finditer(text):
        names = re.sub(r"(\A|,)(\s*)(\w)", rf"\1\2{one[1]}__\3", one[2])
        yield one.start(), one.end(), f"enum {one[1]} {{{names}}}"
        for use in re.finditer(rf"\b{one[1]}\s*::\s*", text):
            yield *use.span(), f"{one[1]}__"


def _refused(text: str) -> Iterator[tuple[int, str, str]]:
    for found in _REFUSED.finditer(text):
        name = next(part for part in found.groups() if part)
        what = "a template" if found[1] else "a lambda" if found[6] else found[0].rstrip("< ")
        hint = _HINTS.get(name, "use functions, arrays and hls::stream")
        yield found.end() - len(found[0].lstrip()), what, hint


def _type_names(text: str) -> Iterator[str]:
    """Yield the names that ``typedef`` and ``using`` declare."""
    for part in text.split(";"):
        _, is_typedef, rest = part.rpartition("typedef ")
        if not is_typedef and (closed := _CLOSED.search(rest)) is not None:
            yield closed[1]
        if is_typedef and rest.count("{") == rest.count("}"):
            last = _LAST_WORD.match(rest.partition("[")[0].rstrip()[::-1])
            if last is not None:
                yield last[0][::-1]
        alias = _ALIAS.search(part)
        if alias is not None:
            yield alias[1]


def _rewritten(text: str) -> Iterator[Edit]:
    start = 0
    for part in text.split(";")[:-1]:
        found = _ALIAS.search(part)
        if found is not None:
            end = "\n" * part.count("\n", found.end())
            one = f"typedef {' '.join(part[found.end() :].split())} {found[1]};{end}"
            yield start + found.start(), start + len(part) + 1, one
        start += len(part) + 1
    for found in _ARRAY_REFERENCE.finditer(text):
        yield found.start(), found.end(), found[1].center(len(found[0]))
    for found in _LISTED.finditer(text):
        yield found.end(), found.end(), "(struct auto_)"
    for found in _STATIC_CAST.finditer(text):
        yield found.start(), found.end(), f"({found[1]})"


def _each(text: str) -> Iterator[Edit]:
    """Yield edits that count through the arrays of which loops take each element."""
    closes = closing_brackets(text) if _EACH.search(text) else {}
    for one in _EACH.finditer(text):
        declared, name, array = one.groups()
        at, end = f"{name}__at", end_of_branch(text, one.end(), closes)
        head = f"for (int {at} = 0; {at} < {array}.size(); {at}++) {{"
        yield *one.span(), f"{head} {declared}{name} = {array}[{at}];" + "\n" * one[0].count("\n")
        yield end, end, " }"


def _defaults(text: str) -> Iterator[Edit]:
    """Yield edits that keep what parameters are by default where C can say it."""
    for one in _DEFAULT.finditer(text):
        if not _CONTROL.search(text, max(0, one.start() - 20), one.start()):
            yield *one.span(), f" _Alignas({one[2].strip()}) {one[1]}"


def _constructed(text: str) -> Iterator[Edit]:
    """Yield edits for ``type name(x)``, ``type name{x}`` and ``type(x)`` of classes."""
    tags = {one[1]: one[1] for one in _CONSTRUCTOR.finditer(text)}
    if not tags:
        return
    for one in _OTHER_NAME.finditer(text):
        kind = one[1] or one[4]
        if kind in tags:
            tags[one[2] or one[3]] = tags[kind]
    closes = closing_brackets(text)
    uses = re.compile(rf"\b({'|'.join(tags)})\b[ ]*([({{]?)")
    outer = 0
    for opening in sorted(at for at in closes if text[at] == "{"):
        if opening >= outer:
            outer = closes[opening]
            for use in uses.finditer(text, opening, outer):
                yield from _made(text, use, tags[use[1]], closes)


def _made(text: str, use: re.Match[str], tag: str, closes: Mapping[int, int]) -> Iterator[Edit]:
    """Yield the edits of one value, or of one declaration of variables."""
    made, at = f"{tag}__{tag}(", use.end()
    found: re.Match[str] | None = use
    while found is not None:
        if found[2] in ("(", "{"):
            start, new = (found.start(1), made) if found is use else (found.end(1), f" = {made}")
            yield start, at, new
            at = closes.get(at - 1, at - 1) + 1
            if found[2] == "{":
                yield at - 1, at, ")"
        if (found is use) == bool(found[2]) and found[2] != ",":
            return
        found = _DECLARATOR.match(text, at)
        at = at if found is None else found.end()


def _braced(text: str, types: Container[str]) -> Iterator[Edit]:
    """Yield edits for ``type{x}`` and ``type name{x}``, where no constructor takes them."""
    for found in _BRACED.finditer(text):
        name = found[2] or found[3]
        if found[5] and found[5] not in types:
            yield found.end(), found.end(), " = "
        if name not in types or f"{name}__{name}(" in text:
            continue
        if found[2]:
            yield found.start(1), found.end(), f"({found[1]})"
        else:
            yield found.start(4), found.end(), " = "


def _references(text: str, types: Container[str]) -> Iterator[Edit]:
    for found in _REFERENCE.finditer(text):
        if found[2] not in types:
            continue
        is_const = bool(found[1] or found[3])
        is_local = text[found.end()] in "=;"
        mark = " " if is_const and not is_local else "* _Atomic "
        yield found.start(4), found.end(4), mark


def _blanked(text: str, pattern: re.Pattern[str]) -> str:
    """Blank ``extern "C"`` or ``namespace n`` with its braces."""
    found = [*pattern.finditer(text)]
    closes = closing_brackets(text) if found else {}
    characters = [*text]
    for one in found:
        characters[one.start() : one.end()] = blank(one[0])
        end = closes.get(one.end() - 1)
        if end is not None:
            characters[end] = " "
    return "".join(characters)
