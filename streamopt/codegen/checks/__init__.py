"""Static checks that the vendor's tool would make, on the emitted C++ itself.

What the tool refuses or builds badly is found before it runs for minutes; each rule has a code:

====  =============================================================================
E610  text that streamopt would not emit, so that nothing can be said
E611  a channel has not one producer and one consumer
E612  a channel is read before it is written
E613  a pipelined loop nest is not perfect, or a loop below is not unrolled
E614  a partition does not fit its array
E615  a loop has no iteration
E616  an array bypasses processes
E617  a name is declared twice
E618  a name is reserved
E619  a call does not fit its function
E620  sums of floats that a script lets the tool reorder
E621  an array of several banks has an index that is not static
E622  an argument has more banks than any design of one SLR that is known
E623  a bank has fewer ports than an iteration needs in the interval that is asked for
E624  a reduction with more than one operator on its recurrence
E625  a pragma changes what hardware computes, but not what C++ does
====  =============================================================================
"""

from collections.abc import Mapping, Sequence

from streamopt.codegen.checks.banks import bank_findings, port_findings
from streamopt.codegen.checks.facts import Finding, Severity, facts
from streamopt.codegen.checks.reading import read_tree
from streamopt.codegen.checks.recurrences import recurrence_findings
from streamopt.codegen.checks.reordering import reordering_findings
from streamopt.codegen.checks.rules import (
    is_region,
    loop_findings,
    name_findings,
    partition_findings,
    promise_findings,
    region_findings,
)
from streamopt.codegen.tree import CppFunction, Item
from streamopt.errors import CodegenError

__all__ = ["Finding", "Severity", "built", "check_text", "check_tree"]


def check_tree(items: Sequence[Item]) -> tuple[Finding, ...]:
    """Return the diagnostics of the tree of a kernel file, errors first."""
    functions = [facts(item) for item in items if isinstance(item, CppFunction) and item.body]
    by_name = {function.name: function for function in functions}
    found = list(name_findings(functions))
    for function in functions:
        if is_region(function):
            found += region_findings(function, by_name)
            found += port_findings(function)
            found += bank_findings(function, by_name)
        else:
            found += loop_findings(function)
            found += recurrence_findings(function)
        found += partition_findings(function)
        found += promise_findings(function)
    return tuple(sorted(found, key=lambda one: one.severity is Severity.WARNING))


def check_text(text: str) -> tuple[Finding, ...]:
    """Return the diagnostics of the text of a kernel file, errors first.

    Text in another form than the emitted one gives a single warning, E610.
    """
    try:
        items = read_tree(text)
    except CodegenError as error:
        return (Finding("E610", error.diagnostics[0].message, "", Severity.WARNING),)
    return check_tree(items)


def check_scripts(text: str, scripts: Mapping[str, str]) -> tuple[Finding, ...]:
    """Return diagnostics of settings under which the tool builds another kernel, E620.

    Text in another form than the emitted one is not judged.

    Parameters
    ----------
    scripts
        Text by path, of all files of the project or of some.
    """
    try:
        items = read_tree(text)
    except CodegenError:
        return ()
    return tuple(reordering_findings(items, scripts))


def built(
    text: str, scripts: Mapping[str, str] | None = None, *, is_region: bool = True
) -> tuple[Finding, ...]:
    """Return the warnings to expect from the tool for the text of a kernel.

    Parameters
    ----------
    scripts
        Files of the project that start the tool, text by path; none are judged if not given.
    is_region
        Whether the kernel is a dataflow region of the vendor's tool.

    Raises
    ------
    CodegenError
        With all that it would refuse, E611 to E619, E620 for scripts that build another design
        than was predicted, and E624 for a reduction that isn't a tree.
    """
    findings = check_text(text) if is_region else ()
    findings += check_scripts(text, scripts or {})
    errors = [found.diagnostic for found in findings if found.severity is Severity.ERROR]
    if errors:
        raise CodegenError(*errors)
    return findings
