"""The faults: each an edit of one file of a project, as a hand makes it."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

from editing import (
    both,
    everywhere,
    exchanged_calls,
    exchanged_loops,
    fifo_depth,
    first,
    inside,
)

if TYPE_CHECKING:
    from editing import Edit

__all__ = ["FAULTS", "Effect", "Fault"]


class Effect(StrEnum):
    """The worst that a fault does to the design."""

    VALUES = "values or hang"
    """It computes something else, or comes to no end."""
    HARDWARE = "values on hardware"
    """C simulation can't show it: the tool is told what is not so."""
    SPEED = "speed or area"
    BUILD = "build"
    """It is built for something else, or not at all."""
    CHECKS = "checks"
    """It computes the same, but is judged by something else."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of one project.

    Attributes
    ----------
    file
        Path in the project; ``{top}`` is the name of its top function.
    by_hand
        Whether it is one of the 16 that the first trial of ``verify`` by hand had.
    """

    name: str
    project: str
    effect: Effect
    edit: Edit
    file: str = "{top}.cpp"
    by_hand: bool = False


def _less(found: re.Match[str]) -> str:
    """Return the match with its last number one less."""
    return re.sub(r"\d+(?=\D*$)", lambda number: str(int(number[0]) - 1), found[0])


_WRITE_GUARD = r"if \([^{}\n]*\d\) \{\n(?=[^\n]*\.write\()"
_START = r"\(([^()?]* == 0[^()?]*) \? [^:]*? : (\w+(?:\[[^\[\]]*\])+)\)"
_LOOP = r"(for \(int \w+ = 0; \w+ < )(\d+)"
_PARTITION = r"^ *#pragma HLS array_partition variable=(\w+) .*\n"
_GROWING = "(0.2f + [] { static float more = -0.01f; return more += 0.01f; }())"
_FIXED = r"(?<![<\w])ap_fixed<[^<>]*>(?= term| total| \w+_acc|\()"
_PRAGMA = r"\g<0>\1#pragma HLS "
_INDEPENDENT = f"{_PRAGMA}dependence variable=tmp_acc type=inter dependent=false\n"
_VALUES, _SPEED, _BUILD = Effect.VALUES, Effect.SPEED, Effect.BUILD
_SUBTRACTED = r"fsub_\w+\(([^(),]+), ([^(),]+)\)|([\w.\[\]]+) - ([\w.\[\]]+)(?=[;)])"


def _swapped(found: re.Match[str]) -> str:
    left, right = (part for part in found.groups() if part is not None)
    swapped = found[0].replace(left, "\0", 1)
    place = swapped.rindex(right)
    return (swapped[:place] + left + swapped[place + len(right) :]).replace("\0", right)


def _same_dimension(text: str) -> str:
    form = r"variable=(\w+) (type=cyclic factor=\d+) dim=(\d)(\n *#pragma HLS array_partition "
    return first(form + r"variable=\1 \S+ \S+ dim=)(\d)", r"variable=\1 \2 dim=\5\4\5")(text)


def _exchanged_factors(text: str) -> str:
    form = r"(variable=(\w+) type=\w+ factor=)(\d+)( dim=\d\n.*variable=\2 type=\w+ factor=)"
    return first(form + r"(?!\3 )(\d+)", r"\g<1>\5\g<4>\3")(text)


_BY_HAND = (
    Fault("a loop bound one tile short", "3mm", _VALUES, inside(r"\w+", first(_LOOP, _less))),
    Fault("x[i] for x[j]", "atax", _VALUES, inside("gemv", first(r"\bx\[j\]", "x[i]"))),
    Fault("the last write one early", "atax", _VALUES, inside("gemv", first(_WRITE_GUARD, _less))),
    Fault(
        "a window's guard one short",
        "dwsconv_block",
        _VALUES,
        inside("depthwise.*", first(r"(?:if \(|&& |\()[\w +*-]+ < \d+(?= [&?]|\))", _less)),
    ),
    Fault(
        "a subtraction swapped",
        "multi_head_attention",
        _VALUES,
        inside(r"softmax_centre\w*|\w*exp\w*", first(_SUBTRACTED, _swapped)),
    ),
    Fault(
        "a window one row off",
        "dwsconv_block",
        _VALUES,
        inside("depthwise.*", first(r"\bh(?= \+ kh - 1\]|\])", "(h > 0 ? h - 1 : h)")),
    ),
    Fault("two partitions of one dimension", "3mm", _BUILD, _same_dimension),
    Fault("no unroll", "3mm", _SPEED, first(r"^ *#pragma HLS unroll\n", "")),
    Fault("a sum that does not start at 0", "atax", _VALUES, inside("gemv", first(_START, r"\2"))),
    Fault("FIFOs of depth 1", "atax", _SPEED, fifo_depth(1)),
    Fault("partition factors exchanged", "3mm", _SPEED, _exchanged_factors),
    Fault("a partition removed", "3mm", _SPEED, first(_PARTITION, "")),
    Fault("another interval", "atax", _SPEED, first(r"(pipeline II=\d*)\d", r"\g<1>77")),
    Fault("no dataflow", "3mm", _SPEED, first(r"^ *#pragma HLS dataflow\n", "")),
    Fault("no bind_op", "atax", _SPEED, first(r"^ *#pragma HLS bind_op .*\n", "")),
    Fault("a slower clock", "3mm", _SPEED, first(r"-period [\d.]+", "-period 13.3"), "run_hls.tcl"),
)

_FURTHER = (
    Fault("a FIFO too shallow", "multi_head_attention", _VALUES, fifo_depth(2)),
    Fault(
        "a FIFO too shallow in the region alone",
        "multi_head_attention",
        _BUILD,
        fifo_depth(2, declared_only=True),
    ),
    Fault(
        "no last tokens",
        "multi_head_attention",
        _VALUES,
        inside(r"\w+", first(r"if \((?=[^{}\n]*\d\) \{\n[^\n]*\.write\()", "if (i < 1 && ")),
    ),
    Fault(
        "tokens too many",
        "3mm",
        _VALUES,
        inside(r"\w+", first(r"if \([^{}\n]*\) \{\n(?=[^\n]*\.write\()", "if (true) {\n")),
    ),
    Fault(
        "a tree without its last addition",
        "atax",
        _VALUES,
        inside("gemv", first(r"for \(int pair = 0; pair < \d+", _less)),
    ),
    Fault(
        "a tree that adds a term twice",
        "3mm",
        _VALUES,
        inside(r"\w+", first(r"terms\[2 \* pair \+ 1\]", "terms[2 * pair]")),
    ),
    Fault("two loops exchanged", "3mm", _VALUES, inside(r"\w+", exchanged_loops)),
    Fault("a consumer called first", "residual_block", _VALUES, exchanged_calls),
    Fault(
        "a static sum",
        "bicg, axis",
        _VALUES,
        inside(
            r"\w+",
            both(first(r"^    (float \w+_acc)", r"    static \1"), first(_START, r"\2")),
        ),
    ),
    Fault(
        "a factor that grows from run to run",
        "jacobi_2d",
        _VALUES,
        inside(r"\w+", first(r"\b0\.2\d*f", _GROWING)),
    ),
    Fault(
        "a stencil's bound one short",
        "jacobi_2d",
        _VALUES,
        inside(r"\w+", first(r"phase == 1 \? \(\w+ < \d+", _less)),
    ),
    Fault(
        "a stencil's neighbour on the other side",
        "jacobi_2d",
        _VALUES,
        inside(r"\w+", first(r"^( *(?!//)\S.*?\[\w+) \+ 2\]", r"\1]")),
    ),
    Fault(
        "a word index one off",
        "gemm, m_axi",
        _VALUES,
        inside(r"read_\w+", first(r"\[at\]", "[at ^ 1]")),
    ),
    Fault(
        "another lane of a word",
        "gemm, m_axi",
        _VALUES,
        inside(r"load_\w+", first(r"(_word(?:\[[^\[\]]* / \d+\])?\[)[^\[\]]*\]\)", r"\g<1>0])")),
    ),
    Fault(
        "shorter bursts",
        "gemm, m_axi",
        _SPEED,
        first(r"max_read_burst_length=\d+", "max_read_burst_length=2"),
    ),
    Fault(
        "one bundle for two arrays",
        "gemm, m_axi",
        _SPEED,
        first(r"bundle=gmem_B\b", "bundle=gmem_A"),
    ),
    Fault(
        "another bank",
        "gemm, m_axi",
        _SPEED,
        first(r"HBM\[\d+", "HBM[31"),
        "connectivity.cfg",
    ),
    Fault(
        "a host that does not send an input",
        "gemm, m_axi",
        _VALUES,
        first(r"^.*\.sync\(XCL_BO_SYNC_BO_TO_DEVICE.*\n", ""),
        "host.cpp",
    ),
    Fault(
        "a host with two arguments exchanged",
        "gemm, m_axi",
        _VALUES,
        first(r"\((buffer_A\w*), (buffer_B\w*)", r"(\2, \1"),
        "host.cpp",
    ),
    Fault(
        "a kernel without arguments that is called",
        "bicg, axis",
        _BUILD,
        first(r"xrt::run run\(kernel\);\n.*start\(\);", "xrt::run run = kernel();"),
        "host.cpp",
    ),
    Fault(
        "a sum in int8_t",
        "layer, int8",
        _VALUES,
        inside(r"\w+", everywhere(r"int(?:16|32)_t(?= \w+_acc| total| term)", "int8_t")),
    ),
    Fault(
        "fewer bits of a sum",
        "fir, ap_fixed",
        _VALUES,
        inside("taps", everywhere(_FIXED, "ap_fixed<12, 6>")),
    ),
    Fault(
        "a sum of integers that does not start at 0",
        "layer, int8",
        _VALUES,
        inside(r"\w+", first(_START, r"\2")),
    ),
    Fault(
        "a promise: no dependence",
        "atax",
        Effect.HARDWARE,
        inside("gemv", first(r"^( *)#pragma HLS pipeline.*\n", _INDEPENDENT)),
    ),
    Fault(
        "a buffer without handshake",
        "residual_block",
        Effect.HARDWARE,
        first(r"stream type=pipo", "stream type=unsync"),
    ),
    Fault(
        "a depth by pragma",
        "3mm",
        Effect.HARDWARE,
        first(
            r"^( *)hls::stream<[^;]*> (\w+)(?:\[\d+\])*;\n",
            f"{_PRAGMA}stream variable=\\2 depth=1\n",
        ),
    ),
    Fault(
        "a header that shadows the vendor's",
        "gemm, m_axi",
        _BUILD,
        lambda text: f"{text}#pragma once\n",
        "hls_vector.h",
    ),
    Fault(
        "another part",
        "atax",
        _BUILD,
        first(r"^part=.*", "part=xc7z020clg400-1"),
        "hls_config.cfg",
    ),
    Fault(
        "a wider tolerance",
        "atax",
        Effect.CHECKS,
        first(r"error <= tol", "error <= 9 + tol"),
        "testbench.cpp",
    ),
    Fault(
        "another depth in the schedule",
        "3mm",
        Effect.CHECKS,
        first(r'("depth_elems": )(\d+)', r"\g<1>9\2"),
        "schedule.json",
    ),
)

FAULTS = (*(replace(fault, by_hand=True) for fault in _BY_HAND), *_FURTHER)
