"""Schedules as JSON: written by ``solve``, read by ``emit``."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, said
from streamopt.files import load_text, write_file
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.ports import PortKind, PortPlan, RamBlock
from streamopt.ir.schedule import ChannelKind, ChannelPlan, NodePlan, Schedule

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def _in_turn(built: object) -> object:
    """Return the implementations that the places of an operator have in turn."""
    return (built,) if isinstance(built, str) else built


_Built = Annotated[tuple[Implementation, ...], BeforeValidator(_in_turn)]


class _ScheduleModel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class _Node(_ScheduleModel):
    node: str
    order: tuple[str, ...]
    unroll: dict[str, int]
    binding: dict[Literal["add", "mul"], _Built] = {}
    target_ii: int = 1
    steps: str = ""
    least_cycles: dict[str, Annotated[int, Field(ge=1)]] = {}
    last_cycles: dict[str, Annotated[int, Field(ge=1)]] = {}
    straight: tuple[str, ...] = ()
    blocks: dict[str, RamBlock] = {}


class _Channel(_ScheduleModel):
    channel: str
    kind: ChannelKind
    depth_elems: int = 0
    block: RamBlock | None = None


class _Port(_ScheduleModel):
    array: str
    kind: PortKind
    channels: tuple[str, ...] = ()
    block: RamBlock | None = None
    again: tuple[str, ...] = ()


class _Schedule(_ScheduleModel):
    schema_version: Literal[1]
    graph: str
    nodes: tuple[_Node, ...]
    channels: tuple[_Channel, ...]
    rewrites: tuple[str, ...] = ()
    ports: tuple[_Port, ...] = ()
    most_banks: Annotated[int, Field(ge=1)] | None = None
    regions: dict[str, Annotated[str, Field(pattern=r"^SLR[0-9]{1,2}$")]] = {}
    result: dict[str, str | int | float | None] = {}


def write_schedule_json(schedule: Schedule, result: Mapping[str, object] | None = None) -> str:
    """Return the schedule as JSON text, with what is known of it under ``result``."""
    nodes = [
        {"node": plan.node, "order": list(plan.order), "unroll": plan.factors}
        | ({"binding": _binding(plan)} if plan.binding else {})
        | ({"target_ii": plan.target_ii} if plan.target_ii != 1 else {})
        | ({"steps": plan.steps} if plan.steps else {})
        | ({"least_cycles": dict(plan.least_cycles)} if plan.least_cycles else {})
        | ({"last_cycles": dict(plan.last_cycles)} if plan.last_cycles else {})
        | ({"straight": list(plan.straight)} if plan.straight else {})
        | ({"blocks": dict(plan.blocks)} if plan.blocks else {})
        for plan in schedule.nodes
    ]
    channels = [
        {"channel": plan.channel, "kind": plan.kind.value, "depth_elems": plan.depth_elems}
        | ({"block": plan.block} if plan.block else {})
        for plan in schedule.channels
    ]
    ports = [
        {"array": port.array, "kind": port.kind, "channels": list(port.channels)}
        | ({"block": port.block} if port.block else {})
        | ({"again": list(port.again)} if port.again else {})
        for port in schedule.ports
    ]
    regions = {name: f"SLR{slr}" for name, slr in schedule.slrs}
    members = {
        "schema_version": "1",
        "graph": json.dumps(schedule.graph),
        **({"rewrites": json.dumps(schedule.rewrites)} if schedule.rewrites else {}),
        "nodes": _lines(nodes),
        "channels": _lines(channels),
        **({"ports": _lines(ports)} if ports else {}),
        **({"most_banks": str(schedule.most_banks)} if schedule.most_banks else {}),
        **({"regions": json.dumps(regions)} if regions else {}),
        "result": json.dumps(dict(result or {})),
    }
    body = ",\n  ".join(f"{json.dumps(key)}: {text}" for key, text in members.items())
    return "{\n  " + body + "\n}\n"


def _lines(items: Sequence[object]) -> str:
    """Return a JSON list with one item a line."""
    if not items:
        return "[]"
    return "[\n    " + ",\n    ".join(json.dumps(item) for item in items) + "\n  ]"


def read_schedule_json(text: str, file: str) -> Schedule:
    """Return the schedule of a JSON text.

    Raises
    ------
    FrontendError
        If it is not JSON (E121) or not a schedule (E122).
    """
    document = _document(text, file)
    return Schedule(
        document.graph,
        tuple(map(_plan, document.nodes)),
        tuple(ChannelPlan(c.channel, c.kind, c.depth_elems, c.block) for c in document.channels),
        document.rewrites,
        tuple(
            PortPlan(p.array, p.kind, p.channels, block=p.block, again=p.again)
            for p in document.ports
        ),
        document.most_banks,
        tuple((name, int(slr.removeprefix("SLR"))) for name, slr in document.regions.items()),
    )


def _binding(plan: NodePlan) -> dict[str, object]:
    """Return by operator what it is built from, or what its places have in turn."""
    found: dict[str, list[Implementation]] = {}
    for operator, built in plan.binding:
        found.setdefault(operator, []).append(built)
    return {name: built[0] if len(built) == 1 else built for name, built in found.items()}


def _document(text: str, file: str) -> _Schedule:
    try:
        return _Schedule.model_validate_json(text)
    except ValidationError as error:
        if all(f'"{key}"' in text for key in ("schema_version", "arrays", "nodes")):
            message = "this is a graph, not a schedule"
            hint = "--schedule takes what streamopt solve writes"
            raise FrontendError(Diagnostic("E122", message, SourceLoc(file), hint)) from None
        raise FrontendError(*(_diagnostic(problem, file) for problem in error.errors())) from None


def _plan(node: _Node) -> NodePlan:
    binding = tuple((Operator(name), built) for name, own in node.binding.items() for built in own)
    unroll = tuple(node.unroll.items())
    return NodePlan(
        node.node,
        node.order,
        unroll,
        binding,
        node.target_ii,
        node.steps,
        tuple(node.least_cycles.items()),
        tuple(node.last_cycles.items()),
        node.straight,
        tuple(node.blocks.items()),
    )


def _diagnostic(problem: ErrorDetails, file: str) -> Diagnostic:
    path = "".join(f"[{p}]" if isinstance(p, int) else f".{p}" for p in problem["loc"])
    loc = SourceLoc(file, path.lstrip("."))
    if problem["type"] == "json_invalid":
        return Diagnostic(
            "E121", f"this is not JSON: {problem['msg'].removeprefix('Invalid JSON: ')}", loc
        )
    return Diagnostic(
        "E122",
        f"this is not a schedule: {said(problem['msg'])}",
        loc,
        hint="write schedules with streamopt solve graph.json -o DIR",
    )


def load_schedule_json(path: Path) -> Schedule:
    """Return the schedule of a file; see `read_schedule_json`."""
    return read_schedule_json(load_text(path, "E121"), str(path))


def load_result_json(path: Path) -> dict[str, str | int | float | None]:
    """Return the result that a schedule's file keeps, maybe empty; raises as the schedule does."""
    return _document(load_text(path, "E121"), str(path)).result


def save_schedule_json(
    path: Path, schedule: Schedule, result: Mapping[str, object] | None = None
) -> None:
    """Write a schedule's file, whole or not at all; see `write_schedule_json`.

    Raises
    ------
    FrontendError
        E116 where the system refuses to write.
    """
    write_file(path, write_schedule_json(schedule, result).encode())
