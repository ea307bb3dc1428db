from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from streamopt.errors import FrontendError
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Memory, Network, Place
from streamopt.ir.operators import Operator
from streamopt.published import load_published_design, read_published_design

DESIGNS = Path(__file__).parents[2] / "results" / "published" / "designs"


def access(array: str, mode: str, index: list[str], **more: Any) -> dict[str, Any]:
    found = {"array": array, "channel": array, "kind": "memory", "mode": mode, "value": "v"}
    return {**found, "index": [{"expr": e} for e in index], **more}


def node(name: str, loops: dict[str, int], accesses: list[Any], **more: Any) -> dict[str, Any]:
    outer = [{"iv": iv, "trip": trip} for iv, trip in loops.items()]
    return {"name": name, "kind": "loops", "outer": outer, "accesses": accesses, **more}


def document(nodes: list[Any], channels: list[Any], **more: Any) -> dict[str, Any]:
    return {
        "suite": "cnns",
        "kernel": "pads",
        "opt": "opt5",
        "dsp_limit": 2560,
        "channels": channels,
        "nodes": nodes,
        **more,
    }


def network_of(raw: dict[str, Any]) -> Network:
    return read_published_design(json.dumps(raw), "design.json").network


def memory(network: Network, name: str) -> Memory:
    return next(memory for memory in network.memories if memory.name == name)


def pads() -> dict[str, Any]:
    """Return loops that stand in the top function: two fill one array, the third reads it."""
    return document(
        [
            node("use", {"a": 10}, [access("p", "read", ["a"]), access("out", "write", ["a"])]),
            node("init", {"b": 10}, [access("p", "write", ["b"], value="0.000000")]),
            node("copy", {"c": 8}, [access("x", "read", ["c"]), access("p", "write", ["(c + 1)"])]),
        ],
        [
            {"name": "p", "kind": "array", "shape": [10], "producers": ["init", "copy"]},
            {"name": "x", "kind": "top_arg", "shape": [8], "partition": None, "depth": None},
            {"name": "out", "kind": "top_arg", "shape": [10], "partition": [5]},
        ],
    )


@pytest.mark.parametrize("path", sorted(DESIGNS.glob("*.json")), ids=lambda path: path.stem)
def test_stored_designs(path: Path) -> None:
    design = load_published_design(path)
    assert path.stem.startswith(f"{design.suite}-{design.kernel}-{design.dsp_limit}")
    assert set(design.pipelines) == {pipeline.name for pipeline in design.network.pipelines}
    for pipeline in design.network.pipelines:
        assert pipeline.iterations == design.pipelines[pipeline.name].trip


def test_a_design_in_full() -> None:
    design = load_published_design(DESIGNS / "polybench-gemm-2560-opt5.json")
    assert (design.name, design.level) == ("polybench-gemm-opt5-2560", "opt5")
    assert design.measured.rtl_cycles == 24051
    assert [process.name for process in design.network.processes] == ["node2", "node1", "node0"]
    product = design.network.pipelines[0]
    assert [loop.trip_count for loop in product.tiles] == [24, 50, 20]
    assert product.copies == 10 * 4 * 11
    assert [o.operator for o in product.operations] == [Operator.MUL, Operator.ADD]
    assert [fifo.lanes for fifo in design.network.fifos] == [(4, 11), (4, 11)]
    output = next(p.target for p in design.network.pipelines[2].ports if p.mode is AccessMode.WRITE)
    assert memory(design.network, output).place is Place.ARGUMENT
    assert memory(design.network, output).factors == (4, 11)


def test_scalar_arguments_are_literals() -> None:
    design = load_published_design(DESIGNS / "polybench-gemm-2560-opt5.json")
    scaled = design.network.pipelines[1]
    assert "0.100000" in {name for o in scaled.operations for name in o.operands}
    initial = next(port for port in design.network.pipelines[0].ports if port.guard is not None)
    assert initial.value == "0.000000"


def test_transposed_copy_is_a_ping_pong_buffer() -> None:
    design = load_published_design(DESIGNS / "polybench-mvt-2560-opt1.json")
    places = [m.place for m in design.network.memories]
    assert places.count(Place.PING_PONG) == 1


def test_registers_are_memories_without_dimensions() -> None:
    design = load_published_design(DESIGNS / "polybench-3mm-2560-opt2.json")
    assert [m.name for m in design.network.memories if not m.shape] == ["node1.v10"]


def test_loops_that_write_one_array_are_one_process() -> None:
    network = network_of(pads())
    assert [process.name for process in network.processes] == ["init_copy", "use"]
    assert [p.name for p in network.processes[0].pipelines] == ["init", "copy"]
    assert memory(network, "p").place is Place.PING_PONG
    assert memory(network, "x").factors == (1,)
    assert memory(network, "out").factors == (5,)


def test_arrays_of_one_process_are_local() -> None:
    raw = pads()
    raw["nodes"][0]["accesses"] += [access("sum", "write", ["0"]), access("sum", "read", ["0"])]
    raw["channels"].append({"name": "sum", "kind": "node_local_array", "shape": [1]})
    assert memory(network_of(raw), "sum").place is Place.LOCAL


def test_what_nothing_declares_is_as_large_as_its_accesses() -> None:
    raw = pads()
    raw["nodes"][0]["accesses"].append(access("t", "write", ["(a * 2)"], channel=None))
    assert memory(network_of(raw), "t").shape == (19,)


def test_local_names_that_two_nodes_share_are_told_apart() -> None:
    raw = pads()
    for place in (0, 1):
        raw["nodes"][place]["local_arrays"] = [{"name": "t", "shape": [2 + place]}]
        raw["nodes"][place]["accesses"].append(access("t", "write", ["0"], channel=None))
    network = network_of(raw)
    assert memory(network, "use.t").shape == (2,)
    assert memory(network, "init.t").shape == (3,)


@pytest.mark.parametrize(
    ("op", "text", "operators"),
    [
        ("fsub", "v1 - v2", [Operator.SUB]),
        ("fneg", "-(v1)", [Operator.NEGATE]),
        ("frecip", "1.0 / v1", [Operator.DIV]),
        ("?", "1.0 / sqrt(v1)", [Operator.SQRT, Operator.DIV]),
        ("frsqrt", "rsqrt(v1)", [Operator.SQRT, Operator.RECIPROCAL]),
        ("fexp", "exp(v1)", [Operator.EXP]),
        ("fexp", "expf(v1)", [Operator.EXP]),
        ("fcmp", "v1 > 0.000000", [Operator.COMPARE]),
        ("select", "v1 ? (float)v2 : (float)0.000000", [Operator.SELECT]),
        ("fmax", "fmax(v1, v2)", [Operator.MAX]),
        ("call", "relu(v1)", [Operator.MAX]),
        ("copy", "0.000010", [Operator.COPY]),
        ("sitofp", "v1[", [Operator.CAST]),
        ("gelu", "gelu(v1)", [Operator.ADD]),
        ("", None, [Operator.ADD]),
    ],
)
def test_operations(op: str, text: str | None, operators: list[Operator]) -> None:
    raw = pads()
    raw["nodes"][0]["ops"] = [{"op": op, "expr": text, "dst": "w"}]
    pipeline = network_of(raw).pipelines[-1]
    assert [o.operator for o in pipeline.operations] == operators
    assert pipeline.operations[-1].result == "w"


def test_a_report_may_be_silent() -> None:
    raw = pads()
    raw["nodes"][0]["vitis"] = {"process": "use", "ii": None, "iteration_latency": None}
    raw["nodes"][1]["vitis"] = None
    design = read_published_design(json.dumps(raw), "design.json")
    assert set(design.pipelines) == {"use"}
    assert design.pipelines["use"].ii is None
    assert design.measured.rtl_cycles is None


def test_types_of_arguments() -> None:
    raw = pads()
    raw["top"] = {"args": [{"name": "x", "type": "int8_t", "shape": [8]}]}
    assert memory(network_of(raw), "x").element is ElementType.INT8


def stream(raw: dict[str, Any], **more: Any) -> dict[str, Any]:
    raw["nodes"][0]["accesses"].append(access("s", "write", ["0"], kind="stream", **more))
    raw["channels"].append({"name": "s", "kind": "fifo", "shape": [4], "depth": None})
    return raw


def test_streams_without_depth_hold_all_tokens() -> None:
    (fifo,) = network_of(stream(pads())).fifos
    assert (fifo.name, fifo.lanes, fifo.depth_elems) == ("s", (4,), 10)


def problems(raw: object) -> list[str]:
    text = raw if isinstance(raw, str) else json.dumps(raw)
    with pytest.raises(FrontendError) as caught:
        read_published_design(text, "design.json")
    return [f"{d.code} {d.loc.path if d.loc else ''}" for d in caught.value.diagnostics]


def test_errors_name_the_place() -> None:
    raw = pads()
    raw["nodes"][0]["outer"][0]["trip"] = 0
    raw["nodes"][2]["accesses"][0]["mode"] = "peek"
    assert problems(raw) == ["E142 nodes[0].outer[0].trip", "E142 nodes[2].accesses[0].mode"]


def test_other_errors() -> None:
    assert problems("{") == ["E101 "]
    assert problems({}) == [
        f"E142 {key}" for key in ("suite", "kernel", "opt", "channels", "nodes")
    ]
    raw = pads()
    raw["nodes"][0]["accesses"][0]["index"] = [{"expr": "a * n"}]
    assert problems(raw) == ["E143 nodes[0].accesses[0].index[0].expr"]
    raw = pads()
    raw["nodes"][1]["name"] = "use"
    assert problems(raw) == ["E144 nodes[1]"]
    raw = pads()
    raw["top"] = {"args": [{"name": "x", "type": "quaternion", "shape": [8]}]}
    assert problems(raw) == ["E146 top.args[0].type"]


def test_what_nobody_writes_comes_from_outside() -> None:
    raw = pads()
    raw["nodes"][0]["accesses"].append(access("table", "read", ["a"]))
    assert memory(network_of(raw), "table").place is Place.ARGUMENT


def test_subscripts_may_be_plain_texts() -> None:
    raw = pads()
    raw["nodes"][0]["accesses"][0]["index"] = ["(a + 0)"]
    assert network_of(raw) == network_of(pads())


def test_streams_must_be_declared_as_they_are_used() -> None:
    raw = stream(pads())
    raw["channels"].pop()
    assert problems(raw) == ["E145 nodes[0].accesses[2]"]
    raw = stream(pads())
    raw["channels"][-1]["shape"] = [2, 2]
    assert problems(raw) == ["E147 nodes[0].accesses[2]"]
    raw = stream(pads(), guard="v7 > 0")
    assert problems(raw) == ["E143 nodes[0].accesses[2].guard"]


def test_a_guard_on_data_leaves_memory_accesses_as_they_are() -> None:
    raw = pads()
    raw["nodes"][0]["accesses"][0]["guard"] = "v7 > 0"
    assert network_of(raw).pipelines[-1].ports[0].guard is None


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(FrontendError, match="E141"):
        load_published_design(tmp_path / "none.json")


def test_registers_are_their_nodes_own() -> None:
    raw = pads()
    for place in (0, 2):
        raw["nodes"][place]["accesses"] += [
            access("t", mode, [], channel=None, kind="register") for mode in ("read", "write")
        ]
    network = network_of(raw)
    assert [process.name for process in network.processes] == ["init_copy", "use"]
    assert memory(network, "use.t").place is memory(network, "copy.t").place is Place.LOCAL


def streaming() -> dict[str, Any]:
    """Return a node that hands its values to another: the FIFO is an argument of both."""
    arguments: list[Any] = [{"name": "p", "channel": "s", "stream": True, "shape": []}]
    accesses = [access("x", "read", ["a"]), access("p", "write", [], channel="s", kind="stream")]
    made = node("make", {"a": 8}, accesses, args=arguments)
    accesses = [access("p", "read", [], channel="s", kind="stream"), access("y", "write", ["b"])]
    used = node("use", {"b": 8}, accesses, args=arguments)
    channels: list[Any] = [
        {"name": "x", "kind": "top_arg", "shape": [8]},
        {"name": "y", "kind": "top_arg", "shape": [8]},
        {"name": "s", "kind": "fifo", "shape": []},
    ]
    return document([made, used], channels)


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "fifo"},
        {"kind": "memory"},  # the channel says what it is
        {"channel": None},  # the node's arguments say which channel it is
    ],
)
def test_a_stream_is_known_by_access_channel_or_argument(change: dict[str, Any]) -> None:
    raw = streaming()
    for made in raw["nodes"]:
        for place in made["accesses"]:
            if place["array"] == "p":
                place.update(change)
    assert network_of(raw) == network_of(streaming())
    assert [fifo.name for fifo in network_of(raw).fifos] == ["s"]


@pytest.mark.parametrize(
    "guard", ["b == 0 and b != 7", ["b == 0", "b != 7"], "(b == 0) && !(b == 7)"]
)
def test_spellings_of_a_conjunction(guard: str | list[str]) -> None:
    raw, plain = streaming(), streaming()
    raw["nodes"][1]["accesses"][1]["guard"] = guard
    plain["nodes"][1]["accesses"][1]["guard"] = "b == 0 && b != 7"
    assert network_of(raw) == network_of(plain)
    raw["nodes"][1]["accesses"][1]["guard"] = []
    assert network_of(raw) == network_of(streaming())


def test_reports_that_are_no_numbers_are_silent() -> None:
    text = json.dumps(
        {
            **streaming(),
            "rtl_cycles": 2.98e7,
            "bram": "-",
            "dsp": "12",
            "model_cycles": float("nan"),
            "vitis_cycles": float("inf"),
        }
    )
    measured = read_published_design(text, "design.json").measured
    assert (measured.rtl_cycles, measured.dsps) == (29800000, 12)
    assert measured.bram18 is measured.model_cycles is measured.vitis_cycles is None


def test_what_may_be_null() -> None:
    raw = streaming()
    raw["top"] = raw["nodes"][0]["ops"] = raw["nodes"][0]["unrolled"] = None
    raw["channels"][0].update(shape=None, partition=None)
    raw["nodes"].append(node("idle", {}, []) | {"outer": None, "accesses": None})
    network = network_of(raw)
    assert memory(network, "x") == memory(network_of(streaming()), "x")
    assert network.pipelines[-1].iterations == 1


def test_complete_partitions_are_all_elements() -> None:
    raw = streaming()
    raw["channels"][0]["partition"] = ["complete"]
    assert memory(network_of(raw), "x").factors == (8,)


@pytest.mark.parametrize("text", ["const int8_t &", "int8_t*", "hls::stream<int8_t, 16>"])
def test_types_without_what_is_around_them(text: str) -> None:
    raw = streaming()
    raw["top"] = {"args": [{"name": "x", "type": text, "shape": [8]}]}
    assert memory(network_of(raw), "x").element is ElementType.INT8
