"""Modules of amaranth as Verilog."""

import re
from collections.abc import Iterable

from amaranth.back import verilog
from amaranth.hdl import Module, Value

_COMMENT = re.compile(r"\A/\*.*?\*/\n*", re.DOTALL)


def verilog_text(module: Module, name: str, ports: Iterable[Value]) -> str:
    """Return the text of a module, without the release of the tool that wrote it."""
    text = verilog.convert(
        module, name=name, ports=[*ports], emit_src=False, strip_internal_attrs=True
    )
    return _COMMENT.sub("", text)
