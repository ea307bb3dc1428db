"""Memories inside a process: of LUTs, one of wide words where lanes keep to one place, or banks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from amaranth.hdl import ClockDomain, Const, Instance, Module, Mux, Signal, Value

from streamopt.ir.network import Memory
from streamopt.rtl.blocks.controller import IterationController
from streamopt.rtl.blocks.memory import LutMemory
from streamopt.rtl.emission.numbers import identifier
from streamopt.rtl.emission.routing import BankRouting
from streamopt.rtl.kernel.banks import memory_size
from streamopt.rtl.kernel.kernel import LocalWrite, Recalled
from streamopt.rtl.kernel.places import BankPlace


@dataclass(frozen=True, slots=True)
class _Write:
    """One write: of all banks at one place with one bit, or of each."""

    addresses: Value
    given: Value
    write: Value


class LocalMemoryWires:
    """The accesses to one local memory, and the memory behind them; used once.

    Parameters
    ----------
    is_word
        Whether all its accesses are of whole words.
    """

    def __init__(
        self, module: Module, control: IterationController, memory: Memory, *, is_word: bool
    ) -> None:
        self._module, self._control, self._memory = module, control, memory
        self._words, self._banks = memory_size(memory)
        self._bits = memory.element.bits
        self.is_word = is_word
        self._reads: list[tuple[Value, Signal]] = []
        self._writes: list[_Write] = []

    @property
    def _address_bits(self) -> int:
        return LutMemory(1, self._words).address_bits

    def _routing(self, place: BankPlace) -> BankRouting:
        return BankRouting(self._module, self._control, place, self._address_bits)

    def read(self, source: Recalled, stages: Sequence[int]) -> dict[int, Value]:
        """Return the elements of lanes, each in a stage, by lanes' iteration."""
        found: dict[int, Value] = {}
        for part in source.place.parts():
            routing = self._routing(part)
            word = Signal(self._bits * self._banks, name=f"{identifier(self._memory.name)}_word")
            self._reads.append((self._wires("read_at", self._places(routing, stages)), word))
            found |= routing.lanes(word, self._bits, stages[0])
        return found

    def _places(self, routing: BankRouting, stages: Sequence[int]) -> Value:
        """Return the addresses of an access whose lanes are in given stages."""
        if self.is_word:
            return routing.word_address(stages[0])
        if len({*stages}) == 1:
            return routing.addresses(stages[0])
        return routing.late_addresses(stages)

    def write(self, store: LocalWrite, copies: Sequence[Value], enable: Value) -> None:
        """Write elements of lanes, where the process moves."""
        control, whens = self._control, store.whens
        stages = [store.stage + late for late in store.late or (0,) * len(copies)]
        routing = self._routing(store.place)

        def when(at: int) -> Value:
            return control.when(whens[at % len(whens)], stages[at])

        given, banks = routing.written(copies, when, store.stage)
        if self.is_word:
            one = control.when(whens[0], store.stage) & enable
            self._writes.append(_Write(routing.word_address(store.stage), given, one))
            return
        every = self._wires("write", Mux(enable, banks, Const(0, len(banks))))
        places = self._wires("write_at", self._places(routing, stages))
        self._writes.append(_Write(places, self._wires("given", given), every))

    def _wires(self, name: str, value: Value) -> Signal:
        """Return a value under a name, of which parts are taken."""
        signal = Signal(len(value), name=f"{identifier(self._memory.name)}_{name}")
        self._module.d.comb += signal.eq(value)
        return signal

    def join(self, domain: ClockDomain) -> LutMemory:
        """Add the memory to the module; return its block."""
        name = identifier(self._memory.name)
        readers = max(1, len(self._reads))
        if self.is_word:
            block = LutMemory(self._bits * self._banks, self._words, readers)
            self._instance(block, domain, name, None)
            return block
        block = LutMemory(self._bits, self._words, readers)
        for bank in range(self._banks):
            self._instance(block, domain, f"{name}_bank_{bank}", bank)
        return block

    def _instance(self, block: LutMemory, domain: ClockDomain, name: str, bank: int | None) -> None:
        """Add one memory: of all banks, or of one."""
        address, given = Const(0, block.address_bits), Const(0, block.width)
        write: Value = Const(0, 1)
        chosen: tuple[Value, Value] = (address, given)
        for one in self._writes:
            bit = _field(one.write, bank, 1)
            parts = (
                _field(one.addresses, bank, self._address_bits),
                _field(one.given, bank, self._bits),
            )
            chosen = (
                parts
                if isinstance(write, Const)
                else (Mux(bit, parts[0], chosen[0]), Mux(bit, parts[1], chosen[1]))
            )
            write = bit if isinstance(write, Const) else write | bit
        reads = self._reads or [(Const(0, self._address_bits), Signal(block.width, name="unread"))]
        joined: dict[str, Value] = {}
        for at, (asked, word) in enumerate(reads):
            only = bank if self._reads else None
            joined[f"i_read_at_{at}"] = _field(asked, only, self._address_bits)
            joined[f"o_taken_{at}"] = _field(word, only, self._bits)
        self._module.submodules[name] = Instance(
            block.name,
            i_clk=domain.clk,
            i_write=write,
            i_write_at=chosen[0],
            i_given=chosen[1],
            **joined,
        )


def _field(value: Value, bank: int | None, bits: int) -> Value:
    """Return the part of a value side by side that is one bank's; all of it for none."""
    return value if bank is None else value[bank * bits : (bank + 1) * bits]
