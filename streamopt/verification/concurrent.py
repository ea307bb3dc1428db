"""Makes the processes of a dataflow region run at once in C simulation.

A C++ compiler ignores ``#pragma HLS dataflow`` and runs the calls below it one after another, so
that a FIFO seems to hold whatever is written. Here each call of such a region becomes one of
``hls::process`` from our own ``hls_dataflow.h``; everything else, and the number of lines, stays.
"""

from __future__ import annotations

import re

__all__ = ["with_concurrent_processes"]

_REGION = re.compile(r"^\s*#pragma HLS dataflow\b.*?^\}", re.MULTILINE | re.DOTALL)
_CALL = re.compile(r"^(\s*)(\w+(?:<[^;]*?>)?)\(([^;()]*)\);$", re.MULTILINE)


def with_concurrent_processes(text: str, path: str) -> str:
    """Return C++ in which the calls of every dataflow region run at once.

    Parameters
    ----------
    path
        What the compiler is to call the text in its messages.
    """
    changed, regions = _REGION.subn(_region, text)
    header = '#include "hls_dataflow.h"\n' if regions else ""
    return f'{header}#line 1 "{path}"\n{changed}'


def _region(found: re.Match[str]) -> str:
    calls = _CALL.sub(_call, found[0])
    return f"{calls.removesuffix('}')}    hls::run_processes(); }}"


def _call(found: re.Match[str]) -> str:
    indent, function, arguments = found.groups()
    call = re.sub(r"\s+", " ", f"{function}({arguments})")
    listed = f", {arguments}" if arguments.strip() else ""
    return f'{indent}hls::process("{call}", {function}, [&] {{ {call}; }}{listed});'
