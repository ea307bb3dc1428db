"""MLIR text to plain operations, with the parser of the ``torch-mlir`` wheel.

The named operations of linalg become ``linalg.generic`` on the way; the attribute `KIND` keeps
what they were.
"""

import re
from contextlib import suppress
from typing import Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.extras import installing
from streamopt.frontends.mlir.text.old_spelling import OLD_HINT, modern
from streamopt.frontends.mlir.text.passes import lowered, try_text
from streamopt.frontends.mlir.text.syntax import Module

KIND = "streamopt.kind"
"""Attribute of a ``linalg.generic``: name of the operation that it was before, if another."""

MAX_CHARACTERS = 2**28
"""Longest text that is read."""

_GENERALIZE = (
    "builtin.module(func.func(linalg-generalize-named-ops,convert-linalg-to-affine-loops))"
)
_DIALECT_HINT = "give the code in dialects that are read: affine, scf, linalg, memref or tosa"
_MAX_DEPTH = 200
_STRINGS = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*')
_ARROWS = re.compile(r"->|=>|>=|<=")
_PIECES = re.compile(r"[^,;:={}\n]+")
_MAX_CHAIN = 2000


def parse_module(text: str, file: str, top: str | None = None) -> Module:
    """Return the operations of an MLIR text; functions that others call only if one is the top.

    Raises
    ------
    FrontendError
        E151 for a missing package and text that MLIR doesn't accept, E155 for text that is too
        long or nested too deeply.
    """
    ir = _bindings(file)
    _check_size(text, file)
    text, is_old = modern(text)
    hint = OLD_HINT if is_old else ""
    try_text(text, file)
    from streamopt.frontends.mlir.text.conversion import SourceText, place

    with ir.Context() as context:
        context.allow_unregistered_dialects = True
        try:
            module = ir.Module.parse(text)
        except ir.MLIRError as error:
            problems = [
                Diagnostic(
                    "E151",
                    f"not valid MLIR: {found.message}",
                    place(found.location, file),
                    _DIALECT_HINT if "Dialect `" in str(found.message) else hint,
                )
                for found in error.error_diagnostics
            ] or [Diagnostic("E151", "not valid MLIR", SourceLoc(file))]
            raise FrontendError(*problems) from None
        except ValueError as error:
            raise FrontendError(Diagnostic("E151", f"not valid MLIR: {error}")) from None
        lowered(module, text, top, file)
        return convert_module(module, SourceText.of(text, file))


def convert_module(module: Any, text: Any) -> Module:
    """Return the operations of an ``ir.Module`` whose context is current.

    Raises FrontendError E155 if they are nested too deeply.
    """
    from streamopt.frontends.mlir.text.conversion import convert, ir, passmanager

    try:
        if _mark_kinds(module):
            # Operations that this can't change stay, and are reported by the lowering.
            with suppress(ir.MLIRError):
                passmanager.PassManager.parse(_GENERALIZE).run(module.operation)
        return convert(module, text)
    except RecursionError:
        problem = Diagnostic("E155", "operations are nested too deeply", SourceLoc(text.file))
        raise FrontendError(problem) from None


def _bindings(file: str) -> Any:
    try:
        from streamopt.frontends.mlir.text.conversion import ir
    except ImportError:
        hint = installing("mlir")
        message = "reading MLIR needs the package torch-mlir"
        raise FrontendError(Diagnostic("E151", message, SourceLoc(file), hint)) from None
    return ir


def _check_size(text: str, file: str) -> None:
    """Refuse what would make the parser run out of stack or memory."""
    if len(text) > MAX_CHARACTERS:
        message = f"the text is longer than {MAX_CHARACTERS} characters"
        raise FrontendError(Diagnostic("E155", message, SourceLoc(file)))
    depth = deepest = 0
    end = text.rfind("{-#")
    plain = _ARROWS.sub("", _STRINGS.sub("", text[: end if end >= 0 else None]))
    for bracket in re.findall(r"[][(){}<>]", plain):
        depth += 1 if bracket in "[({<" else -1
        deepest = max(deepest, depth)
    longest = max((sum(map(p[0].count, "+*-")) for p in _PIECES.finditer(plain)), default=0)
    if deepest > _MAX_DEPTH or longest > _MAX_CHAIN:
        message = f"brackets are nested more than {_MAX_DEPTH} deep, or a sum is too long"
        raise FrontendError(Diagnostic("E155", message, SourceLoc(file)))


def _mark_kinds(module: Any) -> bool:
    """Note the name of every linalg operation on it; return whether there are any."""
    from streamopt.frontends.mlir.text.conversion import ir

    found = False

    def visit(op: Any) -> Any:
        nonlocal found
        if op.name.startswith("linalg.") and op.name not in ("linalg.index", "linalg.yield"):
            op.attributes[KIND] = ir.StringAttr.get(op.name)
            found = True
        return ir.WalkResult.ADVANCE

    module.operation.walk(visit)
    return found
