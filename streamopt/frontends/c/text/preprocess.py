"""The C preprocessor: pcpp with limits, and with every token's place kept."""

import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pcpp.parser import trigraph
from pcpp.preprocessor import Action, OutputDirective, Preprocessor

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason
from streamopt.files import read_bytes
from streamopt.frontends.c.problems import LimitError, Problems
from streamopt.frontends.c.text.cplusplus import as_c
from streamopt.frontends.c.text.places import OriginalText, Places, Spot
from streamopt.frontends.c.text.tokens import Lexer

HEADERS = Path(__file__).parent / "headers"
"""Stand-ins for system headers: the least that lets real programs parse."""

EMPTY_HEADERS = frozenset(
    (Path(__file__).parent / "empty_headers.txt").read_text(encoding="utf-8").split()
)
"""Headers of C, C++, POSIX and HLS tools that need no text: the reader knows what they declare."""
MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_CHARACTERS = 4_000_000
MAX_INCLUDES = 500
MAX_INCLUDE_DEPTH = 40
MAX_EXPANDED_TOKENS = 400_000
MAX_EXPANDED_CHARACTERS = 4_000_000
MAX_EXPANSION_DEPTH = 100

_PIECE_TOKENS = 400
_PREDEFINED = (
    "__STDC__ 1",
    "__STDC_VERSION__ 199901L",
    "__SYNTHESIS__ 1",
    "__attribute__(x)",
    "__attribute(x)",
    "__asm__(x)",
    "__extension__",
    "__restrict restrict",
    "__restrict__ restrict",
    "__inline inline",
    "__inline__ inline",
    "__const const",
    "__volatile__ volatile",
    "__signed__ signed",
    "_Float16 short float",
)
_CPP_PREDEFINED = (
    "bool _Bool",
    "true 1",
    "false 0",
    "constexpr static const",
    "explicit ",
    "noexcept ",
)
_CPP_ENDINGS = {".cpp", ".cc", ".cxx", ".hpp"}
_CALL_TIME_MACROS = {"__LINE__", "__COUNTER__"}
_LINE_ENDS = re.compile("[\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029]")
_MACRO_NAME = re.compile(r"[A-Za-z_]\w*\Z")


@dataclass(frozen=True, slots=True)
class Preprocessed:
    """Text that has no directives but ``#pragma scop``, and where it came from."""

    text: str
    places: Places
    generics: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """By function whose types its calls decide: the numbers that they decide too."""


def preprocess(
    path: Path, defines: Mapping[str, str], include: Sequence[Path], text: str | None = None
) -> Preprocessed:
    """Return a file, or a text in its place, with its macros expanded and its headers put in.

    Raises
    ------
    FrontendError
        If a file can't be read, a header is missing or a directive is wrong (E131), or if the
        text or its expansion is too large (E139).
    """
    try:
        text = _read_text(path) if text is None else text
    except (OSError, ValueError) as error:
        is_unread = isinstance(error, OSError)
        message = f"can't read {path}: {reason(error)}" if is_unread else str(error)
        raise FrontendError(Diagnostic("E131", message, SourceLoc(str(path)))) from None
    problems = Problems()
    bad = [name for name in defines if not _MACRO_NAME.match(name)]
    bad += [name for name, value in defines.items() if "\n" in value]
    for name in bad:
        problems.report("E131", f"{name[:60]!r} can't be defined as a macro", None)
    problems.raise_if_any()
    machine = _Machine(path, include, problems)
    try:
        result = machine.run(text, defines)
    except LimitError as error:
        raise FrontendError(error.diagnostic) from None
    except (RecursionError, MemoryError):
        raise FrontendError(machine.limit("macros are nested too deeply").diagnostic) from None
    except Exception as error:  # malformed directives end in whatever pcpp does with them
        message = f"the preprocessor can't read this: {error}"
        problems.report("E131", message, machine.where(), "look for an incomplete # directive")
        problems.raise_if_any()
        raise
    problems.raise_if_any()
    return result


def _read_text(path: Path) -> str:
    """Return the text of a file; raises OSError, and ValueError for what is not C text."""
    data = read_bytes(path, MAX_FILE_BYTES)
    if b"\0" in data:
        raise ValueError("this is a binary file, not C source")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


class _Machine(Preprocessor):
    """pcpp that counts what it does, collects problems and marks tokens of macro bodies."""

    def __init__(self, path: Path, include: Sequence[Path], problems: Problems) -> None:
        self.texts: dict[str, OriginalText] = {}
        super().__init__(Lexer())
        self.rewrite_paths: list[Any] = []
        self.user_path = path
        self.main = str(path.absolute())
        self.folders = [(folder.absolute(), folder) for folder in include]
        self.problems = problems
        self.at: tuple[str, int] = (self.main, 1)
        self.level = self.spent = self.characters = self.includes = self.total = 0
        self.patches: list[int] = []
        for folder, _ in self.folders:
            self.add_path(str(folder))
        self.add_path(str(HEADERS))
        self.rewrite_paths = []

    def run(self, text: str, defines: Mapping[str, str]) -> Preprocessed:
        """Return the whole output."""
        extra = _CPP_PREDEFINED if self.user_path.suffix in _CPP_ENDINGS else ()
        for macro in (*_PREDEFINED, *extra):
            self.define(macro)
        for name, value in defines.items():
            self.define(f"{name} {value}")
        text = self._prepared(text)
        self.texts[self.main] = OriginalText.of(str(self.user_path), text)
        self.parse(text, self.main)
        places = Places(self.main, self.texts)
        result = _emitted(iter(self.token, None), places)
        if not (extra or '"C"' in result or "::" in result or "template" in result):
            return Preprocessed(result, places)
        written = as_c(result, places, self.problems)
        return Preprocessed(written.text, places, written.generics)

    def _prepared(self, text: str) -> str:
        """Return the text of a file with line ends and trigraphs as compilers see them."""
        text = _LINE_ENDS.sub(" ", text.replace("\r\n", "\n").replace("\r", "\n"))
        text = trigraph(text) if "??" in text else text
        return "\n".join(line.rstrip() for line in text.split("\n"))

    def where(self) -> SourceLoc:
        """Return the line of the last directive."""
        file, line = self.at
        original = self.texts.get(file)
        return SourceLoc(original.name if original else file, line=line)

    def limit(self, message: str) -> LimitError:
        """Return the error for a limit that was hit."""
        return LimitError(message, self.where(), "make the input smaller")

    def _known_as(self, path: str) -> str:
        """Return the name of a file in the user's words."""
        absolute = Path(path)
        if absolute.is_relative_to(HEADERS):
            return f"<{absolute.relative_to(HEADERS).as_posix()}>"
        beside = (Path(self.main).parent, self.user_path.parent)
        for folder, name in (beside, *self.folders):
            if absolute.is_relative_to(folder):
                return str(name / absolute.relative_to(folder))
        return path

    # What follows overrides pcpp; the names are its.

    def on_file_open(self, is_system_include: bool, includepath: str) -> io.StringIO:
        """Open a header; raises OSError where there is none."""
        path = Path(includepath)
        try:
            text = self._prepared(_read_text(path))
        except ValueError as error:
            self.problems.report("E131", f"{path.name}: {error}", self.where())
            text = ""
        self.includes += 1
        self.total += len(text)
        if self.includes > MAX_INCLUDES or self.total > MAX_TOTAL_CHARACTERS:
            raise self.limit("too many headers are included")
        if self.include_depth > MAX_INCLUDE_DEPTH:
            raise self.limit(f"{path.name} is included too deeply, or by itself")
        self.texts.setdefault(includepath, OriginalText.of(self._known_as(includepath), text))
        return io.StringIO(text)

    def on_include_not_found(
        self, is_malformed: bool, is_system_include: bool, curdir: str, includepath: str
    ) -> None:
        """Report a missing header."""
        if is_malformed:
            message, hint = f"malformed #include {includepath}", ""
        else:
            if includepath in EMPTY_HEADERS:
                raise OutputDirective(Action.IgnoreAndRemove)
            message = f"header '{includepath}' is not found"
            hint = f"name the folder that holds {includepath} with -I"
        self.problems.report("E131", message, self.where(), hint)
        raise OutputDirective(Action.IgnoreAndRemove)

    def on_error(self, file: str, line: int, msg: str) -> None:
        """Report what pcpp complains of."""
        original = self.texts.get(file)
        loc = SourceLoc(original.name, line=line) if original else self.where()
        self.problems.report("E131", f"preprocessor: {msg.strip()[:200]}", loc)

    def on_directive_handle(
        self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]
    ) -> bool | None:
        """Note the place of a directive."""
        self.at = (directive.source, directive.lineno)
        return super().on_directive_handle(directive, toks, ifpassthru, precedingtoks)

    def on_directive_unknown(
        self, directive: Any, toks: list[Any], ifpassthru: bool, precedingtoks: list[Any]
    ) -> bool | None:
        """Keep ``#pragma scop``, report ``#error``, drop the rest."""
        text = "".join(token.value for token in toks).strip()
        match directive.value:
            case "pragma":
                return None if text == "scop" else True
            case "error":
                self.problems.report("E131", f"#error {text[:200]}", self.where())
            case "warning" | "line" | "ident":
                pass
            case name:
                self.problems.report("E131", f"unknown directive #{name}", self.where())
        return True

    def define(self, tokens: str | list[Any]) -> None:
        """Define a macro and mark the tokens of its body."""
        super().define(tokens)
        name = tokens.split("(")[0].split()[0] if isinstance(tokens, str) else tokens[0].value
        for token in self.macros[name].value if name in self.macros else ():
            token.lexpos = -1

    def evalexpr(self, tokens: list[Any]) -> Any:
        """Evaluate the condition of an ``#if``, unless it shifts by a huge number."""
        values = [str(token.value) for token in tokens]
        if "<<" in values and (
            values.count("<<") > 1
            or "*" in values
            or any(len(v) > 4 and v.isdigit() for v in values)
        ):
            raise self.limit("this #if shifts too much")
        return super().evalexpr(tokens)

    def expand_macros(self, tokens: list[Any], expanding_from: Sequence[str] = ()) -> list[Any]:
        """Expand macros in tokens, long lists piece by piece."""
        known = self.macros.keys()
        values = {token.value for token in tokens}
        if known.isdisjoint(values) and _CALL_TIME_MACROS.isdisjoint(values):
            return self._counted(tokens) if self.level else tokens
        if self.level == 0 and len(tokens) > _PIECE_TOKENS:
            pieces = (self._expanded(piece, ()) for piece in _pieces(tokens))
            return [token for piece in pieces for token in piece]
        return self._expanded(tokens, expanding_from)

    def macro_expand_args(self, macro: Any, args: list[list[Any]]) -> list[Any]:
        """Put arguments into a macro's body, unless that explodes."""
        uses = len(macro.patch) + len(macro.str_patch) + 1
        size = sum(len(token.value) for argument in args for token in argument)
        self._spend(0, size * uses)
        self.patches.append(uses)
        try:
            return super().macro_expand_args(macro, args)
        finally:
            self.patches.pop()

    def _expanded(self, tokens: list[Any], expanding_from: Sequence[str]) -> list[Any]:
        if self.level > MAX_EXPANSION_DEPTH:
            raise self.limit("macros are nested too deeply")
        is_nested = self.level > 0
        self.level += 1
        try:
            result = super().expand_macros(tokens, list(expanding_from))
        finally:
            self.level -= 1
        return self._counted(result) if is_nested else result

    def _counted(self, tokens: list[Any]) -> list[Any]:
        uses = self.patches[-1] if self.patches else 1
        self._spend(len(tokens), 0)
        if len(tokens) * uses > MAX_EXPANDED_TOKENS:
            raise self.limit("the macros expand to too much text")
        self._spend(0, sum(len(token.value) for token in tokens))
        return tokens

    def _spend(self, tokens: int, characters: int) -> None:
        self.spent += tokens
        self.characters += characters
        if self.spent > MAX_EXPANDED_TOKENS or self.characters > MAX_EXPANDED_CHARACTERS:
            raise self.limit("the macros expand to too much text")


def _pieces(tokens: list[Any]) -> Iterable[list[Any]]:
    """Cut where no macro call can be open: after ``;`` or a brace outside parentheses."""
    piece: list[Any] = []
    depth = 0
    for token in tokens:
        piece.append(token)
        match token.value:
            case "(":
                depth += 1
            case ")":
                depth -= 1
            case ";" | "{" | "}" if depth <= 0 and len(piece) > _PIECE_TOKENS // 4:
                yield piece
                piece, depth = [], 0
            case _:
                pass
    yield piece


def _emitted(tokens: Iterable[Any], places: Places) -> str:
    """Write tokens as text, a row of spots for every line."""
    lines: list[str] = []
    parts: list[str] = []
    spots: list[Spot] = []
    column, before = 1, None
    for token in tokens:
        value: str = token.value
        if "\n" in value:
            lines.append("".join(parts))
            places.rows.append(spots)
            parts, spots, column, before = [], [], 1, None
            continue
        origin: list[str] = getattr(token, "expanded_from", [])
        if value.isspace():
            value, before = " ", None
        else:
            if before is not None and before != origin:
                parts.append(" ")
                column += 1
            macro = origin[-1] if origin else ""
            spots.append(Spot(column, token.source, token.lineno, token.lexpos, macro))
            before = origin
        parts.append(value)
        column += len(value)
    lines.append("".join(parts))
    places.rows.append(spots)
    return "\n".join(lines)
