"""Whether the vendor's tool may reorder the floating-point sums of a design, as its timing assumes.

The tool keeps sums in source order unless it is told otherwise (AMD UG1399, "Optimizing Logic
Expressions"), and the intervals and depths of `streamopt.perf` come from reports with that option.
It is ``config_compile -unsafe_math_optimizations`` in Tcl, which ``v++ -c`` takes from a file
(AMD UG1393, "--hls Options") and TAPA from ``--other-hls-configs``, and
``syn.compile.unsafe_math_optimizations`` in configuration files (AMD UG1702, "Compile Options").
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from streamopt.codegen.checks.facts import Finding, facts, nested, variable
from streamopt.codegen.tree import CppFunction, CppStatement

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.codegen.checks.facts import FunctionFacts
    from streamopt.codegen.tree import Item

__all__ = [
    "CONFIG_LINE",
    "PRE_TCL",
    "SCRIPTS",
    "TAPA_OPTION",
    "TCL_COMMAND",
    "VPP_OPTION",
    "reordered_sums",
    "reordering_findings",
]

TCL_COMMAND = "config_compile -unsafe_math_optimizations"
CONFIG_LINE = "syn.compile.unsafe_math_optimizations=1"
PRE_TCL = "pre_hls.tcl"
"""The Tcl file that ``v++ -c`` runs before synthesis."""
VPP_OPTION = f"--hls.pre_tcl {PRE_TCL}"
TAPA_OPTION = f'--other-hls-configs "{TCL_COMMAND}"'

_IN_TCL = re.compile(
    r"^[ \t]*config_compile\b[^#\n]*-unsafe_math_optimizations(?:[= ](?:1|true)|[ \t]*$)", re.M
)
_IN_CONFIG = re.compile(
    r"^[ \t]*syn\.compile\.unsafe_math_optimizations[ \t]*=[ \t]*(?:1|true)[ \t]*$", re.M
)
_IN_MAKEFILE = re.compile(rf"^\t[^#\n]*(?:{re.escape(VPP_OPTION)}|{re.escape(TAPA_OPTION)}) ", re.M)
SCRIPTS: Mapping[str, tuple[re.Pattern[str], str]] = {
    "run_hls.tcl": (_IN_TCL, TCL_COMMAND),
    PRE_TCL: (_IN_TCL, TCL_COMMAND),
    "hls_config.cfg": (_IN_CONFIG, CONFIG_LINE),
    "Makefile": (_IN_MAKEFILE, f"{VPP_OPTION} or {TAPA_OPTION}"),
}
"""The scripts that start a synthesis: where the option is found in them, and how it is written."""

_INDEX = re.compile(r"\[[^\[\]]*\]")
_FLOAT = re.compile(r"\b(?:float|double|half)\b")
_SUM = re.compile(r"[\w)] [-+/] |\b[fdh](?:add|sub)_\w+\(")


def reordered_sums(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the processes with floating-point sums or quotients, whose timing needs the option.

    Quotients too, as those by a constant are taken to be multiplications.
    """
    functions = (facts(item) for item in items if isinstance(item, CppFunction) and item.body)
    return tuple(
        function.name
        for function in functions
        if function.function.signature.startswith(("void ", "static void ")) and _sums(function)
    )


def reordering_findings(items: Sequence[Item], scripts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield E620 for each script that starts a synthesis without the option that it needs.

    Parameters
    ----------
    scripts
        Text by path of those that a project has; others than `SCRIPTS` don't matter.
    """
    summing = reordered_sums(items)
    if not summing:
        return
    sought = {path: text for path, text in scripts.items() if path in SCRIPTS}
    if VPP_OPTION in sought.get("Makefile", ""):
        sought.setdefault(PRE_TCL, "")
    for path, text in sorted(sought.items()):
        pattern, written = SCRIPTS[path]
        if pattern.search(text) is None:
            kept = f"the float sums of process '{summing[0]}' keep their source order"
            yield Finding("E620", f"{path} lacks {written}: {kept} and miss their intervals")


def _sums(function: FunctionFacts) -> bool:
    floats = {v.name for v in function.variables if _FLOAT.search(v.type)}
    return any(
        _is_sum(item.text, floats)
        for item in nested(function.body)
        if isinstance(item, CppStatement) and floats
    )


def _is_sum(text: str, floats: set[str]) -> bool:
    while (shorter := _INDEX.sub("", text)) != text:
        text = shorter
    if _SUM.search(text) is None:
        return False
    declared = variable(text)
    if declared is not None:
        return _FLOAT.search(declared.type) is not None
    return not floats.isdisjoint(re.findall(r"\w+", text))
