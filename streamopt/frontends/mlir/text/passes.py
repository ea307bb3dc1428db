"""MLIR's own passes: functions are put in where they are called, and tosa becomes linalg."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from graphlib import CycleError, TopologicalSorter
from typing import Any

from streamopt.errors import Diagnostic, FrontendError, SourceLoc

MAX_OPERATIONS = 200_000
"""Most operations of a function after others are put in."""

_INLINE = "builtin.module(inline{max-iterations=64 default-pipeline=})"
_TOSA = (
    "builtin.module(func.func(tosa-make-broadcastable,tosa-to-linalg-named,tosa-to-linalg,"
    "tosa-to-arith,tosa-to-tensor,canonicalize))"
)


def lowered(module: Any, text: str, top: str | None, file: str) -> None:
    """Change an ``ir.Module`` whose context is current to operations that are read.

    Functions that others call are left out, unless one of them is the top.

    Raises
    ------
    FrontendError
        E155 for functions that call each other in a circle, or too often.
    """
    from streamopt.frontends.mlir.text.conversion import ir, passmanager

    calls: dict[str, list[str]] = {}
    sizes: dict[str, int] = {}
    has_tosa = False
    for function in _functions(module):
        name = ir.StringAttr(function.attributes["sym_name"]).value
        calls[name], sizes[name] = [], 0
        for op in _inside(function):
            sizes[name] += 1
            has_tosa = has_tosa or op.name.startswith("tosa.")
            if op.name in ("func.call", "call") and "callee" in op.attributes:
                calls[name].append(ir.FlatSymbolRefAttr(op.attributes["callee"]).value)
    called = {name for names in calls.values() for name in names}
    pipelines: list[str] = []
    if called & set(calls):
        _check_calls(calls, sizes, file)
        pipelines.append(_INLINE)
    if has_tosa:
        pipelines.append(_TOSA)
    if pipelines:
        try_text(text, file, *pipelines)
    for pipeline in pipelines:
        # Operations that these can't change stay, and are reported by the lowering.
        with suppress(ir.MLIRError):
            passmanager.PassManager.parse(pipeline).run(module.operation)
    for function in _functions(module):
        name = ir.StringAttr(function.attributes["sym_name"]).value
        if name in called and name != top:
            function.erase()


def _functions(module: Any) -> list[Any]:
    return [op.operation for op in module.body.operations if op.operation.name == "func.func"]


def _inside(op: Any) -> Iterator[Any]:
    waiting = [op]
    while waiting:
        for region in waiting.pop().regions:
            for block in region:
                for inner in block:
                    waiting.append(inner.operation)
                    yield inner.operation


def _check_calls(calls: dict[str, list[str]], sizes: dict[str, int], file: str) -> None:
    whole: dict[str, int] = {}
    known = {name: [each for each in names if each in calls] for name, names in calls.items()}
    try:
        for name in TopologicalSorter(known).static_order():
            whole[name] = sizes[name] + sum(whole[each] for each in known[name])
    except CycleError as error:
        message = f"functions call each other in a circle: {', '.join(error.args[1])}"
        raise FrontendError(Diagnostic("E155", message, SourceLoc(file))) from None
    largest = max(whole, key=lambda name: whole[name])
    if sum(whole.values()) > MAX_OPERATIONS:
        message = f"function {largest} has {whole[largest]} operations with those it calls"
        raise FrontendError(Diagnostic("E155", message, SourceLoc(file), "call them in loops"))


_TRIAL = """
import sys
from torch_mlir import ir, passmanager
with ir.Context() as context:
    context.allow_unregistered_dialects = True
    try:
        module = ir.Module.parse(sys.stdin.buffer.read().decode("utf-8", "surrogatepass"))
        for passes in sys.argv[1:]:
            passmanager.PassManager.parse(passes).run(module.operation)
    except (ir.MLIRError, ValueError):
        pass
"""


def try_text(text: str, file: str, *pipelines: str) -> None:
    """Parse a text in another process, run passes on it, and forget the result.

    LLVM's parser runs into null pointers on some wrong attributes, as of ``tensor.collapse_shape``
    with a bracket missing: no error, but the end of the process.

    Raises
    ------
    FrontendError
        E151 if that process was ended by a signal.
    """
    command = [sys.executable, "-I", "-c", _TRIAL, *pipelines]
    data = text.encode("utf-8", "surrogatepass")
    ended = subprocess.run(command, input=data, capture_output=True, check=False)
    if ended.returncode < 0:
        message = f"not valid MLIR: the parser of torch-mlir crashes on it ({-ended.returncode})"
        hint = "look for brackets that don't match and attributes of the wrong kind"
        raise FrontendError(Diagnostic("E151", message, SourceLoc(file), hint))
