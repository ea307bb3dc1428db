"""Trying MLIR text in a process of its own: the parser ends the process on some texts."""

import subprocess
import sys

from streamopt.errors import Diagnostic, FrontendError, SourceLoc

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
