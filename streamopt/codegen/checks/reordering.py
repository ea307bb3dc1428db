"""Whether the vendor's tool keeps the order in which a design adds floats: E620.

The kernel says it: trees for the terms of an iteration, then one addition to the partial value.
The tool keeps to the source unless it is told otherwise (AMD UG1399, "Optimizing Logic
Expressions"); with the option it might take the trees apart, and their operators with it.
The option is ``config_compile -unsafe_math_optimizations`` in Tcl, which ``v++ -c`` takes from a
file (AMD UG1393, "--hls Options") and TAPA from ``--other-hls-configs``, and
``syn.compile.unsafe_math_optimizations`` in configuration files (AMD UG1702, "Compile Options").
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from streamopt.codegen.checks.facts import (
    Finding,
    FunctionFacts,
    facts,
    nested,
    variable,
    without_subscripts,
)
from streamopt.codegen.tree import CppFunction, CppStatement, Item

SCRIPTS = ("run_hls.tcl", "pre_hls.tcl", "hls_config.cfg", "Makefile")
"""The files that start a synthesis, or that ``v++ -c`` may be given for it."""

_TOLD = re.compile(
    r"^(?![ \t]*#)[^\n]*?\b(unsafe_math_optimizations)(?![ \t]*[= ][ \t]*(?:0|false|off)\b)", re.M
)
_FLOAT = re.compile(r"\b(?:float|double|half)\b")
_SUM = re.compile(r"[\w)] [-+/] |\b[fdh](?:add|sub)_\w+\(")


def float_sums(items: Sequence[Item]) -> tuple[str, ...]:
    """Return the processes with floating-point sums or quotients, which the option changes."""
    functions = (facts(item) for item in items if isinstance(item, CppFunction) and item.body)
    return tuple(
        function.name
        for function in functions
        if function.function.signature.startswith(("void ", "static void ")) and _sums(function)
    )


def reordering_findings(items: Sequence[Item], scripts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield E620 for each script that lets the tool reorder the sums of a kernel.

    Parameters
    ----------
    scripts
        Text by path of those that a project has; others than `SCRIPTS` don't matter.
    """
    summing = float_sums(items)
    for path, text in sorted(scripts.items()):
        found = _TOLD.search(text) if path in SCRIPTS and summing else None
        if found is not None:
            taken = f"the tool may take the sums of process '{summing[0]}' apart"
            yield Finding("E620", f"{path} sets {found[1]}: {taken}")


def _sums(function: FunctionFacts) -> bool:
    floats = {v.name for v in function.variables if _FLOAT.search(v.type)}
    return any(
        _is_sum(item.text, floats)
        for item in nested(function.body)
        if isinstance(item, CppStatement) and floats
    )


def _is_sum(text: str, floats: set[str]) -> bool:
    text = without_subscripts(text)
    if _SUM.search(text) is None:
        return False
    declared = variable(text)
    if declared is not None:
        return _FLOAT.search(declared.type) is not None
    return not floats.isdisjoint(re.findall(r"\w+", text))
