"""The boundary of a design in Verilog, as its project keeps it: ``design.json``."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from streamopt.ir.element import ElementType
from streamopt.rtl.boards.packed_words import PackedWords
from streamopt.target.resources import Resources


@dataclass(frozen=True, slots=True)
class MemoryPort:
    """Ports of the top module to a memory: ``NAME_address`` and so on."""

    name: str
    is_write: bool
    banks: int
    """That have an address each, and are written alone; 0 where one is for all."""


@dataclass(frozen=True, slots=True)
class OutsideMemory:
    """An array that crosses the boundary: words of banks that lie side by side."""

    name: str
    element: ElementType
    shape: tuple[int, ...]
    factors: tuple[int, ...]
    """Index ``s`` of a dimension is in bank ``s mod factor``."""
    is_given: bool
    ports: tuple[MemoryPort, ...]
    masters: tuple[str, ...] = ()
    """Of an array off the chip, the ports: ``NAME_araddr``, ``NAME_awaddr`` or ``NAME_tdata``."""
    packed: PackedWords | None = None
    """Of an array off the chip, where its elements are in words."""

    @property
    def bits(self) -> int:
        """Return the width of an element."""
        return self.element.bits


@dataclass(frozen=True, slots=True)
class DesignDescription:
    """A design in Verilog, for the tools that come after.

    Attributes
    ----------
    sources
        Files in Verilog.
    processes
        Modules of the processes.
    cells
        As estimated, by module of a process, and of the top module where all are.
    """

    top: str
    sources: tuple[str, ...]
    processes: tuple[str, ...]
    cells: Mapping[str, Resources]
    memories: tuple[OutsideMemory, ...]


def description_text(design: DesignDescription) -> str:
    """Return the text of ``design.json``."""
    return json.dumps(asdict(design), indent=2) + "\n"


def described(text: str) -> DesignDescription:
    """Return the design of a ``design.json``.

    Raises
    ------
    ValueError, KeyError, TypeError
        For a text that is none.
    """
    document: Any = json.loads(text)
    memories = tuple(
        OutsideMemory(
            str(one["name"]),
            ElementType(one["element"]),
            tuple(map(int, one["shape"])),
            tuple(map(int, one["factors"])),
            bool(one["is_given"]),
            tuple(
                MemoryPort(str(p["name"]), bool(p["is_write"]), int(p["banks"]))
                for p in one["ports"]
            ),
            tuple(map(str, one["masters"])),
            _packed(one["packed"]),
        )
        for one in document["memories"]
    )
    return DesignDescription(
        str(document["top"]),
        tuple(map(str, document["sources"])),
        tuple(map(str, document["processes"])),
        {name: Resources(**amounts) for name, amounts in document["cells"].items()},
        memories,
    )


def _packed(document: Any) -> PackedWords | None:
    if document is None:
        return None
    return PackedWords(
        tuple(map(int, document["extents"])),
        tuple(map(int, document["order"])),
        tuple(map(int, document["lanes"])),
        int(document["stride"]),
        int(document["part"]),
        int(document["word_elems"]),
        int(document["words"]),
        int(document["times"]),
        bool(document["is_stream"]),
    )
