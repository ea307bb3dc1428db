"""The members of a published design's file as pydantic models.

Strict on loops, accesses, channels and guards, which decide the cycles; measurements may be
missing or no number, and other members are ignored.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, said
from streamopt.formats.names import path_of

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def _absent_is_empty(value: Any) -> Any:
    return () if value is None else value


def _absent_is_nothing(value: Any) -> Any:
    return {} if value is None else value


def _text_is_expression(value: Any) -> Any:
    return {"expr": value} if isinstance(value, str | int) else value


def _complete_is_every_element(value: Any) -> Any:
    return 0 if value == "complete" else value


def _list_is_conjunction(value: Any) -> object:
    if not isinstance(value, list):
        return value
    parts = cast("list[object]", value)
    return " && ".join(f"({part})" for part in parts) or None


def _measured(value: Any) -> int | None:
    """Return a reported number; None for the dashes and question marks of reports."""
    try:
        return round(float(value))
    except (TypeError, ValueError, OverflowError):
        return None


ABSENT_IS_EMPTY = BeforeValidator(_absent_is_empty)
Reported = Annotated[int | None, BeforeValidator(_measured)]
Guard = Annotated[str | None, BeforeValidator(_list_is_conjunction)]


Trip = Annotated[int, Field(ge=1, le=2**40)]
Extents = Annotated[
    tuple[Annotated[int, Field(ge=1, le=2**40)], ...], Field(max_length=32), ABSENT_IS_EMPTY
]
Factor = Annotated[Annotated[int, Field(ge=0)] | None, BeforeValidator(_complete_is_every_element)]
Factors = Annotated[tuple[Factor, ...], ABSENT_IS_EMPTY]
Names = Annotated[tuple[str, ...], ABSENT_IS_EMPTY]


class _LenientModel(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class DesignArray(_LenientModel):
    """An array of the top function, an argument of a node or an array inside one."""

    name: str
    channel: str | None = None
    type: str | None = None
    stream: bool = False
    shape: Extents = ()
    partition: Factors = ()


class DesignChannel(_LenientModel):
    """A channel between nodes, or between a node and the outside."""

    name: str
    kind: str
    shape: Extents = ()
    partition: Factors = ()
    depth: Annotated[int, Field(ge=0)] | None = None
    producers: Names = ()
    consumers: Names = ()


class TopDocument(_LenientModel):
    """The top function."""

    args: Annotated[tuple[DesignArray, ...], ABSENT_IS_EMPTY] = ()
    call_order: Names = ()


class TileDocument(_LenientModel):
    """A loop over tiles."""

    iv: str
    trip: Trip


class LaneDocument(_LenientModel):
    """A fully unrolled loop."""

    iv: str
    factor: Trip


class IndexDocument(_LenientModel):
    """A subscript."""

    expr: str | int


Subscript = Annotated[IndexDocument, BeforeValidator(_text_is_expression)]


class DesignAccess(_LenientModel):
    """A read or write: of a stream, of an array, or of a register, which is its node's own."""

    array: str
    channel: str | None = None
    kind: str
    mode: Literal["read", "write"]
    index: Annotated[tuple[Subscript, ...], ABSENT_IS_EMPTY] = ()
    guard: Guard = None
    value: str | float | None = None


class DesignOperation(_LenientModel):
    """``dst = expr``."""

    op: str = ""
    expr: str | None = None
    dst: str | None = None


class VitisDocument(_LenientModel):
    """The report of synthesis on a node."""

    process: str | None = None
    trip: Reported = None
    ii: Reported = None
    iteration_latency: Reported = None


class DesignNode(_LenientModel):
    """A loop nest: a function, or loops that stand in the top function."""

    name: str
    outer: Annotated[tuple[TileDocument, ...], ABSENT_IS_EMPTY]
    unrolled: Annotated[tuple[LaneDocument, ...], ABSENT_IS_EMPTY] = ()
    accesses: Annotated[tuple[DesignAccess, ...], ABSENT_IS_EMPTY]
    ops: Annotated[tuple[DesignOperation, ...], ABSENT_IS_EMPTY] = ()
    local_arrays: Annotated[tuple[DesignArray, ...], ABSENT_IS_EMPTY] = ()
    args: Annotated[tuple[DesignArray, ...], ABSENT_IS_EMPTY] = ()
    scalar_args: dict[str, str | float | None] | None = None
    vitis: VitisDocument | None = None


class DesignDocument(_LenientModel):
    """A design.

    Its scripts had ``config_compile -unsafe_math_optimizations``, as all of Stream-HLS' have, if it
    doesn't say otherwise.
    """

    suite: str
    kernel: str
    opt: str
    dsp_limit: int | None = None
    unsafe_math_optimizations: bool = True
    rtl_cycles: Reported = None
    model_cycles: Reported = None
    vitis_cycles: Reported = None
    dsp: Reported = None
    bram: Reported = None
    ff: Reported = None
    lut: Reported = None
    uram: Reported = None
    top: Annotated[TopDocument, BeforeValidator(_absent_is_nothing)] = TopDocument()
    channels: Annotated[tuple[DesignChannel, ...], ABSENT_IS_EMPTY]
    nodes: Annotated[tuple[DesignNode, ...], Field(min_length=1)]


def read_document(raw: object, file: str) -> DesignDocument:
    """Return the document in a JSON value.

    Raises
    ------
    FrontendError
        E142 for every place that isn't as a design has it; E148 if it is a graph.
    """
    if isinstance(raw, dict) and "arrays" in raw and "channels" not in raw:
        message = "this is a graph, which says nothing of loop orders, tiles and channels"
        hint = "give its schedule as well, which solve makes: --schedule schedule.json"
        raise FrontendError(Diagnostic("E148", message, SourceLoc(file), hint))
    try:
        return DesignDocument.model_validate(raw)
    except ValidationError as error:
        raise FrontendError(*(_diagnostic(problem, file) for problem in error.errors())) from None


def _diagnostic(problem: ErrorDetails, file: str) -> Diagnostic:
    words = said(problem["msg"])
    return Diagnostic(
        "E142",
        f"this is not a published design: {words[:1].lower()}{words[1:]}",
        SourceLoc(file, path_of(problem["loc"])),
        hint="a design has suite, kernel, opt, channels and nodes with outer loops and accesses",
    )
