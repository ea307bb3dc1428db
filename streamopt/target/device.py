"""A target: a device of the package or of a user's TOML file, its clock, operators and memories."""

from __future__ import annotations

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc, TargetError, reason
from streamopt.files import read_text
from streamopt.ir.element import ElementType
from streamopt.ir.operators import Operator
from streamopt.options import closest
from streamopt.target.channels import MemoryChannel
from streamopt.target.memories import Memories, Shape
from streamopt.target.operators import OperatorCost, OperatorRow, OperatorTable, operator_cost
from streamopt.target.regions import Floorplan, Guideline, LogicRegion
from streamopt.target.resources import Fit, Resources

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from streamopt.target.documents import AmountsDocument, DeviceDocument, ShapeDocument

DEVICE = "u280"


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """A device at a clock."""

    name: str
    part: str
    """The vendor's name, as its tools take it."""
    clock_ns: float
    floorplan: Floorplan
    """Its super logic regions and their resources."""
    channels: tuple[MemoryChannel, ...]
    """To memory off the chip."""
    operators: OperatorTable
    memories: Memories
    source: str
    call_ns: float = 0.0
    """That a host's call of a kernel takes beyond its cycles; 0 if nobody said."""

    def __repr__(self) -> str:
        """Return name, size and clock; the tables of operators and memories are left out."""
        regions = "1 SLR" if self.slrs == 1 else f"{self.slrs} SLRs"
        return f"Target({self.name}: {regions}, {self.total.dsps} DSPs, {self.clock_ns} ns)"

    @staticmethod
    def named(name: str, clock_ns: float | None = None) -> Target:
        """Return a device of the package at a clock; None for the device's usual one.

        Raises
        ------
        TargetError
            E851 with the known devices if there is none of this name; E855 and E856 as `at`.
        """
        return _named(name)._at(clock_ns)

    @staticmethod
    def load(path: str | Path, clock_ns: float | None = None) -> Target:
        """Return the device of a user's TOML file, written as those of the package.

        Its ``operators`` and ``memories`` name tables of the package, or files beside it with
        the ending ``.toml``.

        Raises
        ------
        TargetError
            E852 if a file can't be read; E853 with all its problems if it is not such a file;
            E855 and E856 as `at`.
        """
        return _device(Path(path), Path(path).parent)._at(clock_ns)

    def operator(
        self, op: Operator, element: ElementType, implementation: str | None = None
    ) -> OperatorCost:
        """Return the cost of an operator at the target's clock.

        See `streamopt.target.operators.operator_cost`: the row is the one of the longest period
        that does not exceed the clock's.

        Raises
        ------
        TargetError
            E854 if the table has no such operator or implementation; E855 if all of its rows are
            for slower clocks.
        """
        return operator_cost(self.operators, op, element, implementation, self.clock_ns)

    def builds(self, op: Operator, element: ElementType, implementation: str) -> bool:
        """Return whether the table has an implementation of an operator for the target's clock."""
        known = (row for row in self.operators.rows if op in row.operators)
        costs = (row.cost for row in known if element in row.elements)
        return any(
            cost.implementation == implementation and cost.clock_ns <= self.clock_ns
            for cost in costs
        )

    def channel(self, name: str) -> MemoryChannel:
        """Return a channel by name.

        Raises
        ------
        TargetError
            E857 if there is none of this name, or nobody said how fast it is.
        """
        found = next((channel for channel in self.channels if channel.name == name), None)
        if found is None or not found.bytes_per_s:
            what = "there is none" if found is None else "its bytes_per_s are not known"
            known = ", ".join(sorted({one.name.split("[")[0] for one in self.channels})) or "none"
            message = f"memory channel '{name}' of {self.name}: {what}"
            hint = f"{self.name} has {len(self.channels)} channels ({known})"
            raise TargetError(Diagnostic("E857", message, hint=hint))
        return found

    @property
    def is_open(self) -> bool:
        """Return whether its operators are those of our own Verilog."""
        return self.operators.is_open

    @property
    def total(self) -> Resources:
        """Return the resources of the whole device."""
        return self.floorplan.total

    @property
    def slr(self) -> Resources:
        """Return the resources of one SLR, on average: of the device, where there is one."""
        return self.floorplan.slr

    @property
    def slrs(self) -> int:
        """Return the number of super logic regions."""
        return len(self.floorplan.regions)

    def budget(self, fit: Fit, channels: Iterable[str] = ()) -> Resources:
        """Return the resources that a design may take in a part of the device.

        Parameters
        ----------
        channels
            To memory off the chip that the design has ports to, by name; the device's first where
            none is said.
        """
        wanted = tuple(channels) or tuple(channel.name for channel in self.channels[:1])
        return self.floorplan.budget(fit, wanted)

    def at(self, clock_ns: float) -> Target:
        """Return the device at another clock.

        Raises
        ------
        TargetError
            E855 if every operator is for a slower clock; E856 if the clock is not positive.
        """
        if not clock_ns > 0:
            message = f"a clock period of {clock_ns} ns is not positive"
            raise TargetError(Diagnostic("E856", message, hint="300 MHz is 3.33 ns"))
        fastest = min((row.cost.clock_ns for row in self.operators.rows), default=clock_ns)
        if clock_ns < fastest:
            message = f"no operator of {self.name} is for a clock of {clock_ns} ns"
            hint = f"the fastest is for {fastest} ns: take a longer period, or add faster rows"
            raise TargetError(Diagnostic("E855", message, hint=hint))
        return replace(self, clock_ns=clock_ns)

    def _at(self, clock_ns: float | None) -> Target:
        return self if clock_ns is None else self.at(clock_ns)


def find_device(name: str = DEVICE, clock_ns: float | None = None) -> Target:
    """Return a device by its name, or by the path of its TOML file.

    Raises
    ------
    TargetError
        E851 to E853 if there is no such device, or the file is not one; E855 and E856 as
        `Target.at`.
    """
    return (Target.load if name.endswith(".toml") else Target.named)(name, clock_ns)


def or_usual(target: Target | None) -> Target:
    """Return a target, or where there is none the usual device at its usual clock."""
    return find_device() if target is None else target


def device_names() -> tuple[str, ...]:
    """Return the names of the package's devices, sorted."""
    return _names("devices")


def device_of_part(part: str) -> Target | None:
    """Return the package's device of a part, as the vendor's tools call it."""
    devices = map(find_device, device_names())
    return next((device for device in devices if device.part == part), None)


def target_of_part(part: str, clock_ns: float) -> Target:
    """Return the device of a part at a clock; the usual device where none has the part.

    Raises
    ------
    TargetError
        E855 and E856 as `Target.at`.
    """
    return or_usual(device_of_part(part)).at(clock_ns)


@cache
def _named(name: str) -> Target:
    if name not in device_names():
        message = f"device '{name}' is not known"
        hint = f"known devices: {', '.join(device_names())}; or give the path of a TOML file"
        if close := closest(name, device_names()):
            hint = f"did you mean '{close}'? {hint}"
        raise TargetError(Diagnostic("E851", message, hint=hint))
    return _device(_packaged("devices", name), None)


def _device(file: Traversable | Path, folder: Path | None) -> Target:
    from streamopt.target.documents import DeviceDocument, validated

    document = validated(DeviceDocument, _toml(file), str(file))
    floorplan = _floorplan(document)
    return Target(
        name=document.name,
        part=document.part,
        clock_ns=document.default_clock_ns,
        floorplan=floorplan,
        channels=_channels(document),
        operators=_operators(_table("operators", document.operators, file, folder)),
        memories=replace(
            _memories(_table("memories", document.memories, file, folder)),
            uram_blocks=floorplan.guideline.of(floorplan.slr).uram,
        ),
        source=document.source,
        call_ns=1e3 * document.shell.call_us if document.shell else 0.0,
    )


def _floorplan(document: DeviceDocument) -> Floorplan:
    """Return the regions of a device: equal ones, the first at all channels, if none are listed."""
    whole = [_amounts(region) for region in document.regions]
    whole = whole or [_amounts(document.slr)] * document.slrs
    left = [_amounts(region) for region in document.shell.leaves] if document.shell else whole
    channels = [tuple(region.channels) for region in document.regions] or [("HBM", "DDR")]
    channels += [()] * (len(whole) - len(channels))
    rows = zip(whole, left, channels, strict=True)
    return Floorplan(
        total=_amounts(document.total),
        slr=_amounts(document.slr),
        regions=tuple(LogicRegion(*row) for row in rows),
        guideline=Guideline(**document.guideline.model_dump(exclude={"source"})),
        crossing_wires=document.crossings and document.crossings.wires,
    )


def _channels(document: DeviceDocument) -> tuple[MemoryChannel, ...]:
    """Return the channels of a device, those of HBM first."""
    hbm = (document.hbm_bytes_per_s, document.hbm_latency_ns, document.hbm_channel_bytes)
    ddr = (document.ddr_bytes_per_s, document.ddr_latency_ns, document.ddr_channel_bytes)
    kinds = (("HBM", document.hbm_channels, hbm), ("DDR", document.ddr_channels, ddr))
    return tuple(
        MemoryChannel(f"{kind}[{at}]", *own) for kind, count, own in kinds for at in range(count)
    )


def _operators(file: Traversable | Path) -> OperatorTable:
    from streamopt.target.documents import OperatorsDocument, validated

    document = validated(OperatorsDocument, _toml(file), str(file))
    base = document.extends and _operators(_table("operators", document.extends, file, None))
    rows = (
        OperatorRow(
            frozenset(row.operators),
            frozenset(row.elements),
            OperatorCost(**row.model_dump(exclude={"operators", "elements"})),
        )
        for row in document.operator
    )
    return OperatorTable(file.name, (*(base.rows if base else ()), *rows))


def _memories(file: Traversable | Path) -> Memories:
    from streamopt.target.documents import MemoriesDocument, validated

    document = validated(MemoriesDocument, _toml(file), str(file))
    return Memories(
        bram18_shapes=tuple(_shape(shape) for shape in document.bram18_shapes),
        uram_shape=None if document.uram_shape is None else _shape(document.uram_shape),
        lutram_words=document.lutram_words,
        shift_register_bits=document.shift_register_bits,
        shift_register_words=document.shift_register_words,
        power_of_two_words=document.power_of_two_words,
        source=document.source,
    )


def _amounts(document: AmountsDocument) -> Resources:
    return Resources(document.dsps, document.bram18, document.uram, document.luts, document.ffs)


def _shape(document: ShapeDocument) -> Shape:
    return Shape(document.words, document.bits)


def _table(
    kind: str, name: str, device: Traversable | Path, folder: Path | None
) -> Traversable | Path:
    """Return the file of a table that a device names: the package's, or one beside the device."""
    if folder is not None and name.endswith(".toml"):
        return folder / name
    if name not in _names(kind):
        message = f"there is no table '{name}' of {kind}"
        hint = f"known tables: {', '.join(_names(kind))}; or a file beside it, ending in .toml"
        raise TargetError(Diagnostic("E853", message, SourceLoc(str(device), kind), hint))
    return _packaged(kind, name)


def _toml(file: Traversable | Path) -> dict[str, object]:
    try:
        return tomllib.loads(read_text(file) if isinstance(file, Path) else file.read_text("utf-8"))
    except (OSError, ValueError) as error:
        message = f"the file can't be read: {reason(error)}"
        raise TargetError(Diagnostic("E852", message, SourceLoc(str(file)))) from error


def _packaged(kind: str, name: str) -> Traversable:
    return resources.files("streamopt.target") / "data" / kind / f"{name}.toml"


def _names(kind: str) -> tuple[str, ...]:
    files = (resources.files("streamopt.target") / "data" / kind).iterdir()
    return tuple(sorted(file.name.removesuffix(".toml") for file in files))
