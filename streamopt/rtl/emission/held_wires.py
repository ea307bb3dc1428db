"""Wires between lanes and the memories of a sequential node, one port for lanes that never meet.

Nests that take turns use the same ports: in one cycle, one of them is in a stage.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from amaranth.hdl import Cat, Const, Instance, Module, Mux, Signal, Value

from streamopt.ir.network import Memory
from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.blocks.word_choice import WordChoice
from streamopt.rtl.emission.value_wires import Lanes, ValueWires
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.kernel import Held, HeldWrite, Kernel, KernelValue
from streamopt.rtl.kernel.lane_places import HeldPlace
from streamopt.rtl.kernel.phase_parts import word_cycles

AddPort: TypeAlias = Callable[[str, str, int, int], dict[str, Value]]
"""From memory, kind, bits of an address, and number of addresses to the wires of a port.

The kinds are ``read`` and ``write`` of all banks; for registers, ``take`` of those at addresses,
``store`` of the one at an address, and ``put`` of any of them.
"""


@dataclass(frozen=True, slots=True)
class _Asked:
    """An element that some lanes ask for."""

    turn: int
    place: HeldPlace


class HeldWires:
    """The reads and writes of a kernel to memories outside its module; used once.

    Attributes
    ----------
    blocks
        Modules that it uses.

    Parameters
    ----------
    add_port
        Adds a port of the module to all banks of a memory.
    """

    def __init__(
        self,
        module: Module,
        control: IterationController,
        wires: ValueWires,
        enable: Signal,
        memories: dict[str, Memory],
        add_port: AddPort,
    ) -> None:
        self._module, self._control, self._wires = module, control, wires
        self._enable = enable
        self._memories, self._add_port = memories, add_port
        self._words: dict[tuple[str, int, _Asked], Value] = {}
        self._registers: dict[str, dict[object, tuple[Value, Signal]]] = {}
        """By memory and place, the number of a register, and what is in it."""
        self.blocks: dict[WordChoice, None] = {}
        self._choices: dict[int, tuple[Value, list[tuple[Value, Signal]]]] = {}

    def declare(self, kernel: Kernel) -> None:
        """Add the read ports of a kernel."""
        asked: dict[tuple[str, int, int], dict[_Asked, None]] = {}
        for value in kernel.values:
            source = value.source
            if isinstance(source, Held) and source.wait:
                key = source.memory, source.wait, value.stage - source.wait
                items = (_Asked(source.turn, place) for place in source.places)
                asked.setdefault(key, {}).update(dict.fromkeys(items))
        for (name, wait, stage), items in asked.items():
            for mine in _ports(items):
                bits = self._address_bits(name)
                port = self._add_port(name, "read", bits, len(self._banks(name)))
                places = [self._address(name, bank, mine, stage) for bank in self._banks(name)]
                self._module.d.comb += [
                    port["address"].eq(Cat(*places)),
                    port["enable"].eq(self._enable),
                ]
                word = self._wires.delayed(port["data"], wait - 1)
                self._words |= {(name, stage, item): word for item in mine}

    def _banks(self, name: str) -> range:
        return range(self._memories[name].banks)

    def _address_bits(self, name: str) -> int:
        words, _ = memory_size(self._memories[name])
        return LutMemory(1, words).address_bits

    def _register_bits(self, name: str) -> int:
        """Return the bits of a register's number."""
        return max(1, (len(self._banks(name)) - 1).bit_length())

    def _address(self, name: str, bank: int, items: Sequence[_Asked], stage: int) -> Value:
        """Return the address of a bank: that of the item that is in it."""
        bits = self._address_bits(name)
        found: list[tuple[Value, Value]] = []
        for item in items:
            if bank in item.place.banks:
                address = item.place.address
                place = self._control.total(address.over, address.first, bits, stage)
                inside = self._in_bank(item.place, bank, stage)
                found.append((self._control.in_turn(item.turn, stage) & inside, place))
        return _last(found)[1] if found else Const(0, bits)

    def _bank(self, place: HeldPlace, stage: int) -> Value:
        bits = max(1, max(place.banks).bit_length())
        return self._control.total(place.bank.over, place.bank.first, bits, stage)

    def _in_bank(self, place: HeldPlace, bank: int, stage: int) -> Value:
        return Const(1, 1) if len(place.banks) == 1 else self._bank(place, stage) == bank

    def read(self, value: KernelValue, source: Held) -> Lanes:
        """Return the elements of lanes, in the stage of the value."""
        bits, name = value.form.bits, source.memory
        found: Lanes = []
        for place in source.places:
            if not source.wait:
                found.append(self._register(name, place, value.stage, bits))
                continue
            word = self._words[name, value.stage - source.wait, _Asked(source.turn, place)]
            if len(place.banks) == 1:
                (bank,) = place.banks
                found.append(word[bank * bits : (bank + 1) * bits])
            else:
                found.append(self._chosen(word, self._bank(place, value.stage), bits))
        return found

    def _register(self, name: str, place: HeldPlace, stage: int, bits: int) -> Value:
        """Return the word of a register in a stage."""
        known = self._registers.setdefault(name, {})
        (bank, *others) = place.banks
        key = (place.bank, stage) if others else bank
        if key not in known:
            index = self._bank(place, stage) if others else Const(bank)
            known[key] = (index, Signal(bits, name="held"))
        return known[key][1]

    def _chosen(self, words: Value, index: Value, bits: int) -> Value:
        """Return one of some words side by side."""
        taken = Signal(bits, name="chosen")
        self._choices.setdefault(id(words), (words, []))[1].append((index, taken))
        return taken

    def choose(self) -> None:
        """Add what chooses among words, and the ports that read registers, once for each memory."""
        for name, known in self._registers.items():
            size = self._register_bits(name)
            port = self._add_port(name, "take", size, len(known))
            indices = [(index | Const(0, size))[:size] for index, _ in known.values()]
            self._module.d.comb += port["address"].eq(Cat(*indices))
            taken = Cat(*(signal for _, signal in known.values()))
            self._module.d.comb += taken.eq(port["data"])
        for number, (words, readers) in enumerate(self._choices.values(), start=1):
            width = len(readers[0][1])
            block = WordChoice(width, len(words) // width, len(readers))
            self.blocks[block] = None
            bits, joined = block.index_bits, dict[str, Value]()
            for at, (index, taken) in enumerate(readers):
                joined[f"i_at_{at}"] = (index | Const(0, bits))[:bits]
                joined[f"o_taken_{at}"] = taken
            self._module.submodules[f"choice_{number}"] = Instance(
                block.name, i_words=words, **joined
            )

    def write(self, kernel: Kernel) -> None:
        """Add the write ports of a kernel."""
        groups: dict[tuple[str, int], list[HeldWrite]] = {}
        for write in kernel.writes:
            groups.setdefault((write.memory, write.stage), []).append(write)
        for (name, stage), writes in groups.items():
            none = Const(0, len(self._banks(name)))
            given: dict[_Asked, list[tuple[Value, Value]]] = {}
            for write in writes:
                for place, pair in zip(write.places, self._given(write), strict=True):
                    given.setdefault(_Asked(write.turn, place), []).append(pair)
            if not word_cycles(self._memories[name]):
                fixed = [item for item in given if len(item.place.banks) == 1]
                if fixed:
                    self._put(name, fixed, given, stage)
                moving = [item for item in given if len(item.place.banks) > 1]
                for mine in _ports(moving, alone=True):
                    self._store(name, mine, given, stage)
                continue
            for mine in _ports(given):
                count = len(self._banks(name))
                port = self._add_port(name, "write", self._address_bits(name), count)
                banks = [self._written(bank, mine, given, stage) for bank in self._banks(name)]
                places = [self._address(name, bank, mine, stage) for bank in self._banks(name)]
                self._module.d.comb += [
                    port["address"].eq(Cat(*places)),
                    port["write"].eq(Mux(self._enable, Cat(*(write for write, _ in banks)), none)),
                    port["given"].eq(Cat(*(value for _, value in banks))),
                ]

    def _put(
        self,
        name: str,
        items: Sequence[_Asked],
        given: dict[_Asked, list[tuple[Value, Value]]],
        stage: int,
    ) -> None:
        """Add a port that writes registers which lanes always write."""
        banks = [self._written(bank, items, given, stage) for bank in self._banks(name)]
        none = Const(0, len(banks))
        port = self._add_port(name, "put", 0, len(banks))
        self._module.d.comb += [
            port["write"].eq(Mux(self._enable, Cat(*(write for write, _ in banks)), none)),
            port["given"].eq(Cat(*(value for _, value in banks))),
        ]

    def _store(
        self,
        name: str,
        items: Sequence[_Asked],
        given: Mapping[_Asked, Sequence[tuple[Value, Value]]],
        stage: int,
    ) -> None:
        """Add a port that writes one of a memory's registers."""
        bits = self._register_bits(name)
        port = self._add_port(name, "store", bits, 1)
        found: list[tuple[Value, Value]] = []
        for item in items:
            bank = item.place.bank
            place = self._control.total(bank.over, bank.first, bits, stage)
            found += [(when, Cat(place, copy)) for when, copy in given[item]]
        write, word = _last(found)
        self._module.d.comb += [
            Cat(port["address"], port["given"]).eq(word),
            port["write"].eq(write & self._enable),
        ]

    def _given(self, write: HeldWrite) -> Iterable[tuple[Value, Value]]:
        """Yield, by lane, whether it writes and the value."""
        stages = write.stage
        copies = self._wires.copies(write.value, write.lanes, stages)
        truths = self._wires.copies(write.truth, write.lanes, stages) if write.truth else None
        for at, copy in enumerate(copies):
            when = self._control.when(write.whens[at % len(write.whens)], stages)
            yield when if truths is None else when & truths[at], copy

    def _written(
        self,
        bank: int,
        items: Sequence[_Asked],
        given: dict[_Asked, list[tuple[Value, Value]]],
        stage: int,
    ) -> tuple[Value, Value]:
        """Return whether a bank is written, and what."""
        found: list[tuple[Value, Value]] = []
        for item in items:
            if bank in item.place.banks:
                inside = self._in_bank(item.place, bank, stage)
                found += [(when & inside, copy) for when, copy in given[item]]
        if not found:
            some = next(iter(given.values()))[0][1]
            return Const(0, 1), Const(0, len(some))
        return _last(found)


def _last(found: Sequence[tuple[Value, Value]]) -> tuple[Value, Value]:
    """Return whether any of some conditions holds, and what is given with the last one that does.

    A tree, as there may be many: amaranth can't have a thousand operators in a row.
    """
    while len(found) > 1:
        pairs = [*zip(found[::2], found[1::2], strict=False)]
        joined = [(a | b, Mux(b, later, given)) for (a, given), (b, later) in pairs]
        found = [*joined, *found[2 * len(pairs) :]]
    return found[0]


def _ports(items: Iterable[_Asked], *, alone: bool = False) -> list[list[_Asked]]:
    """Return items in as few groups as found in which none of one turn may meet in a bank.

    Parameters
    ----------
    alone
        Whether there is one of each turn in a group, wherever it is.
    """
    found: list[list[_Asked]] = []
    for item in items:
        for group in found:
            rivals = (other for other in group if other.turn == item.turn)
            if all(not alone and other.place.is_apart(item.place) for other in rivals):
                group.append(item)
                break
        else:
            found.append([item])
    return found
