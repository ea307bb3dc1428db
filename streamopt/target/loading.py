"""Reading devices, operator tables and memories from TOML: the package's, or a user's."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc, TargetError, reason
from streamopt.files import read_text
from streamopt.target.channels import MemoryChannel
from streamopt.target.device import Target
from streamopt.target.memories import Memories, Shape
from streamopt.target.operators import OperatorCost, OperatorRow
from streamopt.target.resources import Resources

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

    from streamopt.target.documents import AmountsDocument, DeviceDocument, ShapeDocument

__all__ = ["device_names", "read_device", "read_named_device"]


def device_names() -> tuple[str, ...]:
    """Return the names of the package's devices, sorted."""
    return _names("devices")


@cache
def read_named_device(name: str) -> Target:
    """Return a device of the package at its usual clock.

    Raises
    ------
    TargetError
        E851 with the known devices if there is none of this name.
    """
    if name not in device_names():
        message = f"device '{name}' is not known"
        hint = f"known devices: {', '.join(device_names())}; or give the path of a TOML file"
        raise TargetError(Diagnostic("E851", message, hint=hint))
    return _device(_packaged("devices", name), None)


def read_device(path: str | Path) -> Target:
    """Return the device of a user's file at its usual clock.

    Raises
    ------
    TargetError
        E852 if a file can't be read; E853 with all its problems if it is not such a file.
    """
    path = Path(path)
    return _device(path, path.parent)


def _device(file: Traversable | Path, folder: Path | None) -> Target:
    from streamopt.target.documents import DeviceDocument, validated

    document = validated(DeviceDocument, _toml(file), str(file))
    return Target(
        name=document.name,
        part=document.part,
        clock_ns=document.default_clock_ns,
        total=_amounts(document.total),
        slr=_amounts(document.slr),
        slrs=document.slrs,
        channels=_channels(document),
        operators=_operators(_table("operators", document.operators, file, folder)),
        memories=_memories(_table("memories", document.memories, file, folder)),
        source=document.source,
    )


def _channels(document: DeviceDocument) -> tuple[MemoryChannel, ...]:
    """Return the channels of a device, those of HBM first."""
    kinds = (
        ("HBM", document.hbm_channels, document.hbm_bytes_per_s),
        ("DDR", document.ddr_channels, document.ddr_bytes_per_s),
    )
    return tuple(
        MemoryChannel(f"{kind}[{at}]", rate) for kind, count, rate in kinds for at in range(count)
    )


def _operators(file: Traversable | Path) -> tuple[OperatorRow, ...]:
    from streamopt.target.documents import OperatorsDocument, validated

    document = validated(OperatorsDocument, _toml(file), str(file))
    return tuple(
        OperatorRow(
            frozenset(row.operators),
            frozenset(row.elements),
            OperatorCost(
                latency_cycles=row.latency_cycles,
                dsps=row.dsps,
                luts=row.luts,
                ffs=row.ffs,
                implementation=row.implementation,
                clock_ns=row.clock_ns,
                source=row.source,
            ),
        )
        for row in document.operator
    )


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
