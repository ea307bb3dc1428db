"""A design in Verilog, and what is around it."""

from collections.abc import Mapping
from dataclasses import dataclass

from streamopt.rtl.kernel.kernel import Kernel
from streamopt.target.resources import Resources


@dataclass(frozen=True, slots=True)
class OutsidePort:
    """Ports of the top module to a memory outside: ``NAME_address`` and so on."""

    memory: str
    name: str
    is_write: bool
    address_bits: int
    banks: int
    """That have an address each; 0 where one is for all."""
    frame: str
    """Port that says which frame it reads or writes."""


@dataclass(frozen=True, slots=True)
class MasterPort:
    """Ports of the top module to a memory off the chip: ``NAME_araddr`` and so on, and its base.

    Or those of a stream: ``NAME_tdata``.
    """

    memory: str
    name: str
    is_write: bool
    part: int
    """Of the memories that hold the array, one after another."""
    word_bits: int
    frame: str
    """As of a memory outside."""
    is_stream: bool


@dataclass(frozen=True, slots=True)
class RtlDesign:
    """A design in Verilog.

    Attributes
    ----------
    top
        Name of its module, which has ``clk``, ``rst``, ``start``, ``ready``, ``done``, ports to
        memories, and those that say in which frame a process is.
    files
        Pairs (path, text).
    most_cycles
        After which it can't be still at work.
    """

    top: str
    files: tuple[tuple[str, str], ...]
    ports: tuple[OutsidePort, ...]
    kernels: tuple[Kernel, ...]
    most_cycles: int
    processes: tuple[str, ...]
    """Modules, one for each loop nest."""
    frames: tuple[str, ...]
    """Ports with the number of each process's frame."""
    frame_bits: int
    masters: tuple[MasterPort, ...]
    cells: Mapping[str, Resources]
    """As estimated, by module of a process, and of the top module where all are."""
