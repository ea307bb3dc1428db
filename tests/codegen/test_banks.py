"""Banks of emitted arrays: each access knows its own, and none is asked for more than it gives."""

from __future__ import annotations

from pathlib import Path

import pytest

import streamopt as so
from streamopt.codegen.checks import Severity, check_text
from tests.support.nightly import in_nightly

GRAPHS = Path(__file__).parents[2] / "graphs"

KERNEL = """static void scale(
    const float x[64],
    float y[64]) {{
    float ring[64];
{pragmas}
    for (int i_tile = 0; i_tile < {tiles}; i_tile++) {{
        #pragma HLS pipeline II={interval} style=stp
        for (int i_lane = 0; i_lane < 4; i_lane++) {{
            #pragma HLS unroll
            const int i = i_tile * 4 + i_lane;
            ring[i] = x[i];
            y[i] = {value};
        }}
    }}
}}

void top(
    const float x[64],
    float y[64]) {{
    #pragma HLS array_partition variable=x type=cyclic factor=4 dim=1
    #pragma HLS array_partition variable=y type=cyclic factor=4 dim=1
    #pragma HLS dataflow
    scale(x, y);
}}
"""
CYCLIC = "    #pragma HLS array_partition variable=ring type=cyclic factor={} dim=1"
COMPLETE = "    #pragma HLS array_partition variable=ring type=complete dim=1"


def codes(value: str, pragmas: str = CYCLIC.format(4), tiles: int = 16, interval: int = 1) -> str:
    text = KERNEL.format(value=value, pragmas=pragmas, tiles=tiles, interval=interval)
    return " ".join(finding.code for finding in check_text(text))


@pytest.mark.parametrize(
    ("value", "pragmas", "found"),
    [
        ("ring[i]", CYCLIC.format(4), ""),
        ("ring[i]", CYCLIC.format(2), "E623"),  # two writes and two reads of a bank
        ("ring[(i + 4) % 64]", CYCLIC.format(4), ""),
        ("ring[(i * 3) / 3]", CYCLIC.format(4), ""),
        ("ring[(i) / 8]", CYCLIC.format(4), "E621"),
        ("ring[(i) % 6]", CYCLIC.format(4), "E621"),
        ("ring[i_tile + i_lane]", CYCLIC.format(4), "E621"),
        ("ring[63 - i]", CYCLIC.format(4), ""),
        ("ring[i]", CYCLIC.format(8), "E621"),
        ("ring[i]", COMPLETE, "E621"),
        ("ring[i]", "", "E623"),
        ("x[63 - i]", CYCLIC.format(4), ""),
        ("ring[x[i] > 0.0f ? 0 : 1]", CYCLIC.format(4), "E621"),
        ("ring[i_lane << 1]", CYCLIC.format(4), "E621"),  # as hands write them
        ("ring[i / 0]", CYCLIC.format(4), "E621"),
        ("ring[i_lane % 0]", CYCLIC.format(4), ""),
    ],
)
def test_index_and_banks(value: str, pragmas: str, found: str) -> None:
    assert codes(value, pragmas) == found


def test_a_constant_of_itself_ends() -> None:
    text = KERNEL.format(value="ring[i]", pragmas=CYCLIC.format(4), tiles=16, interval=1)
    defined = next(line for line in text.splitlines() if "const int i = " in line)
    found = check_text(text.replace(defined, f"{defined}\n{defined.split('=')[0]}= i + 4;", 1))
    assert [finding.code for finding in found] == ["E617"]


def test_one_tile_makes_every_index_static() -> None:
    assert codes("ring[i]", COMPLETE, tiles=1) == ""


def test_ports_of_the_interval_that_is_asked_for() -> None:
    assert codes("ring[i]", "", interval=3) == "E623"
    assert codes("ring[i]", "", interval=4) == ""


def test_streams_and_arguments() -> None:
    text = KERNEL.format(value="s[i_tile].read()", pragmas="", tiles=16, interval=4)
    ends = "float y[64]) {\n    float"
    text = text.replace(ends, f"hls::stream<float, 2> s[16],\n    {ends}")
    text = text.replace("    scale(x, y)", "    hls::stream<float, 2> s[16];\n    scale(x, s, y)")
    assert "E621" in {finding.code for finding in check_text(text)}
    wide = KERNEL.replace("64", "4096")
    many = wide.replace("x type=cyclic factor=4", "x type=cyclic factor=512")
    text = many.format(value="ring[i]", pragmas=CYCLIC.format(4), tiles=16, interval=1)
    (finding,) = (found for found in check_text(text) if found.code == "E622")
    assert finding.severity is Severity.WARNING
    assert "argument x is split into 512 banks" in str(finding)


OF_OPT6 = ["polybench/3mm", "polybench/atax", "cnns/residual_block", "cnns/dwsconv_block"]


@pytest.mark.parametrize("name", in_nightly(OF_OPT6, 1))
def test_designs_of_opt6(name: str) -> None:
    graph = so.dataflow(GRAPHS / f"{name}.json")
    solution = so.solve(graph, level="opt6", dsp=256)
    found = {finding.code for finding in so.emit(graph, solution.schedule).findings}
    assert found.isdisjoint({"E621", "E622", "E623"})
