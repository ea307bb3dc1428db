"""Facts of emitted functions: what they declare, call, read and write; and findings on them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from streamopt.codegen.tree import CppFunction, CppStatement, For, If, Item, Pragma
from streamopt.errors import Diagnostic


class Severity(StrEnum):
    """Whether the vendor's tool refuses a design or builds it with a warning."""

    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, slots=True)
class Finding:
    """A rule that emitted code breaks."""

    code: str
    """E610 to E625, one for each rule."""
    message: str
    function: str = ""
    """Where; empty for the file."""
    severity: Severity = Severity.ERROR

    @property
    def diagnostic(self) -> Diagnostic:
        """Return it as a diagnostic, to be raised."""
        where = f" in function '{self.function}'" if self.function else ""
        return Diagnostic(self.code, f"{self.message}{where}")

    def __str__(self) -> str:
        """Return ``severity: code message``."""
        return f"{self.severity}: {self.diagnostic}"


_INDEX = r"(?:\[(?:[^\[\]]|\[[^\[\]]*\])*\])"
_TYPE = r"(?:const )?[A-Za-z_][\w:]*(?:<[^;=()]*>)?"
_DECLARED = re.compile(rf"(?:static )?({_TYPE})(?: |( ?[*&]))(\w+)((?:\[\d+\])*)(?: = .*)?;?")
_CALL = re.compile(r"(\w+)\(((?:\w+(?:, )?)*)\);")
_STREAM_READ = re.compile(rf"\b(\w+){_INDEX}*\.read\(")
_STREAM_WRITE = re.compile(rf"\b(\w+){_INDEX}*\.write\(")
_ASSIGNED = re.compile(rf"(\w+){_INDEX}* = (.*)")
_NO_TYPES = frozenset(["return", "else", "delete", "goto", "throw", "new", "case"])


@dataclass(frozen=True, slots=True)
class CppVariable:
    """A parameter or a local variable."""

    type: str
    name: str
    extents: tuple[int, ...]
    mark: str = ""
    """``*`` of a pointer, ``&`` of a reference, or nothing."""

    @property
    def is_stream(self) -> bool:
        """Return whether it is a stream or an array of them."""
        return self.type.removeprefix("const ").startswith("hls::stream<")

    @property
    def is_memory(self) -> bool:
        """Return whether it is an array or memory outside, no stream."""
        return not self.is_stream and (bool(self.extents) or self.mark == "*")


@dataclass(frozen=True, slots=True)
class CppCall:
    """A call of a process, with the names that it is given."""

    function: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FunctionFacts:
    """One defined function."""

    function: CppFunction
    name: str
    parameters: tuple[CppVariable, ...]
    variables: tuple[CppVariable, ...]
    """Parameters, then all that is declared in it."""
    calls: tuple[CppCall, ...]
    # reads, writes: names of streams, arrays and scalars that its statements use
    reads: frozenset[str]
    writes: frozenset[str]

    @property
    def body(self) -> tuple[Item, ...]:
        """Return its items."""
        return self.function.body or ()


def variable(text: str) -> CppVariable | None:
    """Return the variable that a parameter or statement declares; None for another statement.

    Examples
    --------
    >>> variable("const float A[8][4]")
    CppVariable(type='const float', name='A', extents=(8, 4), mark='')
    """
    found = _DECLARED.fullmatch(text)
    if found is None or found[1] in _NO_TYPES:
        return None
    extents = tuple(int(extent) for extent in re.findall(r"\d+", found[4]))
    return CppVariable(found[1], found[3], extents, (found[2] or "").strip())


def nested(items: Sequence[Item]) -> Iterator[Item]:
    """Yield items and all inside them, outer ones first."""
    for item in items:
        yield item
        if isinstance(item, For | If):
            yield from nested(item.body)


def is_pipelined(loop: For) -> bool:
    """Return whether a loop has the pragma of a pipeline."""
    return any(isinstance(item, Pragma) and item.text.startswith("pipeline") for item in loop.body)


def without_subscripts(text: str) -> str:
    """Return an expression with the names of arrays alone."""
    while (shorter := re.sub(r"\[[^\[\]]*\]", "", text)) != text:
        text = shorter
    return text


def facts(function: CppFunction) -> FunctionFacts:
    """Return the facts of a function."""
    parameters = tuple(v for text in function.parameters if (v := variable(text)))
    variables, calls = list(parameters), list[CppCall]()
    reads, writes = set[str](), set[str]()
    for item in nested(function.body or ()):
        if isinstance(item, If):
            reads |= _names(item.condition)
        if not isinstance(item, CppStatement) or not item.text:
            continue
        declared, call = variable(item.text), _CALL.fullmatch(item.text)
        if declared is not None:
            variables.append(declared)
        if call is not None:
            names = tuple(name for name in call[2].split(", ") if name)
            calls.append(CppCall(call[1], names))
            continue
        used, made = _used(item.text)
        reads |= used
        writes |= made
    return FunctionFacts(
        function,
        function.signature.split()[-1],
        parameters,
        tuple(variables),
        tuple(calls),
        frozenset(reads),
        frozenset(writes),
    )


def _used(text: str) -> tuple[set[str], set[str]]:
    """Return the names that a statement reads and those that it writes."""
    written = set(_STREAM_WRITE.findall(text))
    taken = set(_STREAM_READ.findall(text))
    assigned = _ASSIGNED.fullmatch(text)
    if assigned is not None:
        written.add(assigned[1])
        target = text[: len(text) - len(assigned[2])]
        subscripts = _names(target.split("[", 1)[1]) if "[" in target else set[str]()
        return _names(assigned[2]) | subscripts | taken, written
    if " = " in text:
        return _names(text.split(" = ", 1)[1]) | taken, written
    return _names(text) - written | taken, written


def _names(text: str) -> set[str]:
    return set(re.findall(r"\b[A-Za-z_]\w*\b", text))
