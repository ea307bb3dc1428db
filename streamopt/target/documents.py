"""The TOML files of devices, operators and memories, as pydantic models.

Imported only when a file is read: pydantic takes longer to import than the command line may take
to start.
"""

from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    ValidationInfo,
    field_validator,
)

from streamopt.errors import Diagnostic, SourceLoc, TargetError, said
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator

GUIDELINE = "AMD UG1393, Timing Closure Considerations: at most these shares of a device or SLR"

Count = Annotated[int, Field(ge=0)]
Positive = Annotated[int, Field(ge=1)]
Percent = Annotated[int, Field(ge=1, le=100)]
NonNegative = Annotated[float, Field(ge=0)]
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


class RegionDocument(AmountsDocument):
    """A super logic region, without a shell.

    ``channels`` are those that it reaches: ``HBM`` for all of a kind, or ``DDR[1]``.
    """

    source: Text
    channels: list[Text] = []


class LeavesDocument(AmountsDocument):
    """A region without what a shell takes of it."""

    source: Text


class ShellDocument(_Document):
    """A platform, with the resources that it leaves for designs, region by region."""

    platform: Text
    call_us: NonNegative = 0.0
    call_source: str = ""
    leaves: list[LeavesDocument] = Field(min_length=1)


class CrossingsDocument(_Document):
    """The wires between a region and the next one."""

    source: Text
    wires: Positive


class GuidelineDocument(_Document):
    """The shares of a region that a design should keep to; the vendor's, where nothing is said."""

    source: Text = GUIDELINE
    dsps_percent: Percent = 80
    bram18_percent: Percent = 80
    uram_percent: Percent = 80
    luts_percent: Percent = 70
    ffs_percent: Percent = 50


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
    hbm_latency_ns: NonNegative = 0.0
    ddr_latency_ns: NonNegative = 0.0
    latency_source: str = ""
    hbm_channel_bytes: Count = 0
    ddr_channel_bytes: Count = 0
    size_source: str = ""
    total: AmountsDocument
    slr: AmountsDocument
    regions: list[RegionDocument] = []
    shell: ShellDocument | None = None
    guideline: GuidelineDocument = GuidelineDocument()
    crossings: CrossingsDocument | None = None

    @field_validator("regions")
    @classmethod
    def _are_all(cls, regions: list[RegionDocument], info: ValidationInfo) -> list[RegionDocument]:
        slrs = info.data.get("slrs", len(regions))
        if regions and len(regions) != slrs:
            raise ValueError(f"regions lists {len(regions)} of {slrs} SLRs")
        return regions

    @field_validator("shell")
    @classmethod
    def _leaves_less(
        cls, shell: ShellDocument | None, info: ValidationInfo
    ) -> ShellDocument | None:
        if shell is None or not {"slrs", "slr", "regions"} <= set(info.data):
            return shell
        slrs: int = info.data["slrs"]
        if len(shell.leaves) != slrs:
            raise ValueError(f"what is left is listed for {len(shell.leaves)} of {slrs} SLRs")
        whole: list[AmountsDocument] = list(info.data["regions"]) or [info.data["slr"]] * slrs
        for at, (left, of) in enumerate(zip(shell.leaves, whole, strict=True)):
            for name in AmountsDocument.model_fields:
                if getattr(left, name) > getattr(of, name):
                    raise ValueError(f"more {name} are left of SLR{at} than it has")
        return shell


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
    products: Count = Field(default=1, ge=1)
    source: Text


class OperatorsDocument(_Document):
    """An operator table, after the rows of the package's table that it extends."""

    extends: Text | None = None
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
