"""The TOML files of devices, operators and memories, as pydantic models.

Imported only when a file is read: pydantic takes longer to import than the command line may take
to start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streamopt.errors import Diagnostic, SourceLoc, TargetError, said
from streamopt.ir.element import ElementType  # noqa: TC001 -- pydantic reads it
from streamopt.ir.network import Operator  # noqa: TC001 -- pydantic reads it

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["DeviceDocument", "MemoriesDocument", "OperatorsDocument", "validated"]

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Nanoseconds = Annotated[float, Field(gt=0)]
Text = Annotated[str, Field(min_length=1)]


class _Document(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)


class AmountsDocument(_Document):
    """Amounts of every resource."""

    dsps: Count
    bram18: Count
    uram: Count
    luts: Count
    ffs: Count


class DeviceDocument(_Document):
    """A device."""

    source: Text
    name: Text
    part: Text
    default_clock_ns: Nanoseconds
    operators: Text
    memories: Text
    slrs: Positive
    hbm_channels: Count
    ddr_channels: Count
    hbm_bytes_per_s: Count = 0
    ddr_bytes_per_s: Count = 0
    rates_source: str = ""
    total: AmountsDocument
    slr: AmountsDocument


class ShapeDocument(_Document):
    """A way to use a memory block."""

    words: Positive
    bits: Positive


class MemoriesDocument(_Document):
    """Memory blocks of a family."""

    source: Text
    bram18_shapes: list[ShapeDocument] = Field(min_length=1)
    uram_shape: ShapeDocument | None = None
    lutram_words: Count
    shift_register_bits: Count
    shift_register_words: Count
    power_of_two_words: Count


class OperatorDocument(_Document):
    """A row of an operator table."""

    operators: list[Annotated[Operator, Field(strict=False)]] = Field(min_length=1)
    elements: list[Annotated[ElementType, Field(strict=False)]] = Field(min_length=1)
    implementation: Text
    clock_ns: Nanoseconds
    latency_cycles: Count
    dsps: Count
    luts: Count
    ffs: Count
    source: Text


class OperatorsDocument(_Document):
    """An operator table."""

    operator: list[OperatorDocument] = Field(min_length=1)


Document = TypeVar("Document", bound=_Document)


def validated(kind: type[Document], raw: Mapping[str, object], file: str) -> Document:
    """Return the contents of a TOML file as one of the documents above.

    Raises
    ------
    TargetError
        E853 with all problems, each with its path in the file.
    """
    try:
        return kind.model_validate(raw)
    except ValidationError as error:
        problems = [
            Diagnostic(
                "E853", said(problem["msg"]), SourceLoc(file, ".".join(map(str, problem["loc"])))
            )
            for problem in error.errors()
        ]
    raise TargetError(*problems)
