"""Declarations outside of pipelines: arguments, arrays, streams and constants.

As a network they are memories and FIFOs; an array that several processes touch is a ping-pong
buffer between them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from streamopt.frontends.c.syntax.files import CFunction
from streamopt.frontends.c.syntax.types import Declaration, element_named
from streamopt.frontends.c.text.template_text import STREAM
from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.network import AccessMode, Fifo, Memory, Pipeline, Place, Port, Process
from streamopt.ir.program import Loop
from streamopt.published.hls.accesses import Binding, HlsReading
from streamopt.published.hls.body import BodyReader
from streamopt.published.hls.directives import Store
from streamopt.published.network import Storage, memory_of
from streamopt.published.reader import reach

if TYPE_CHECKING:
    from pycparser import c_ast as ast

_STREAM_DEPTH = 2
"""Of a stream for which no depth is said."""


class Declarations:
    """Makes stores of declarations, with names that are unique in the design."""

    def __init__(self, reading: HlsReading) -> None:
        self.reading = reading
        self.stores: dict[str, Store] = {}

    def global_bindings(self) -> dict[str, Binding]:
        """Return the variables of the file that stand outside of functions."""
        found: dict[str, Binding] = {}
        for declaration in self.reading.file.variables:
            if declaration.name and declaration.type.element is not None:
                found[declaration.name] = self.declared(declaration, found, "")
        for name, node in self.reading.file.enumerators.items():
            found[name] = Affine.of(self.constant(node, found) or 0)
        return found

    def arguments(self, top: CFunction, known: Mapping[str, Binding]) -> dict[str, Binding]:
        """Return the arguments of the top function; a scalar is a memory of one element."""
        found: dict[str, Binding] = {}
        for parameter in top.parameters:
            store = self.declared(parameter, known, "")
            if not isinstance(store, Store):
                store = self.store(parameter.name, self.element(parameter), (1,))
            if store.is_stream:
                message = f"stream '{parameter.name}' is an argument of the top function"
                self.reading.report("E145", message, parameter.loc, "designs take and give arrays")
            store.is_argument = True
            found[parameter.name] = store
        return found

    def declared(
        self, declaration: Declaration, bindings: Mapping[str, Binding], prefix: str
    ) -> Binding:
        """Return the constant of a declaration, or its storage, named with a prefix."""
        kind, node = declaration.type, declaration.node
        shape = tuple(self._extent(e, bindings, declaration) for e in kind.extents)
        name = f"{prefix}{declaration.name}"
        stream = kind.text.partition(STREAM)[2]
        if stream:
            depth, _, words = stream.partition("_")
            words = words.removeprefix("struct__")
            element = ElementType(words) if words in {*ElementType} else None
            element = element or element_named(words.split("__")) or ElementType.FLOAT
            store = self.store(name, element, shape[kind.is_reference :])
            store.is_stream, store.depth_elems = True, int(depth)
            return store
        element = self.element(declaration)
        if not shape and node.init is not None and kind.is_const:
            reader = self.body(bindings)
            value = reader.value(node.init)
            if not reader.ports and not reader.operations:
                return value if element.is_integer else str(value)
        store = self.store(name, element, shape or (1,))
        store.is_table = bool(shape) and node.init is not None and kind.is_const
        return store

    def element(self, declaration: Declaration) -> ElementType:
        """Return the element type of a declaration; E146 where it has none that is known."""
        text = declaration.type.text
        found = declaration.type.element
        if found is None and text.startswith("ap_fixed"):
            found = ElementType(text)
        if found is None:
            message = f"'{declaration.name}' has type '{text}', which is not known"
            self.reading.report(
                "E146", message, declaration.loc, f"known: {', '.join(ElementType)}"
            )
        return found or ElementType.FLOAT

    def element_of(self, item: ast.Decl) -> ElementType:
        """Return the element type of a declaration's node."""
        declaration = self.reading.file.declarations.get(item)
        return ElementType.INT32 if declaration is None else self.element(declaration)

    def store(self, wanted: str, element: ElementType, shape: tuple[int, ...]) -> Store:
        """Return a new store, with a name like the wanted one."""
        name, number = wanted, 1
        while name in self.stores:
            number += 1
            name = f"{wanted}_{number}"
        self.stores[name] = Store(name, element, shape)
        return self.stores[name]

    def body(self, bindings: Mapping[str, Binding], tiles: Sequence[Loop] = ()) -> BodyReader:
        """Return a reader of one body."""
        return BodyReader(self.reading, bindings, tiles, self.element_of)

    def constant(self, node: ast.Node, bindings: Mapping[str, Binding]) -> int | None:
        """Return the value of an expression that is constant; None of another."""
        return self.body(bindings).constant(node)

    def _extent(
        self, node: ast.Node | None, bindings: Mapping[str, Binding], declaration: Declaration
    ) -> int:
        """Return an extent; 0 for that of a pointer, which accesses say."""
        if node is None:
            return 0
        found = self.constant(node, bindings)
        if found is None or found < 1:
            message = f"an extent of '{declaration.name}' is not known"
            self.reading.report("E134", message, declaration.loc, "make it a positive constant")
        return found or 1

    def fifos(self, used: set[str]) -> tuple[Fifo, ...]:
        """Return the streams that are used."""
        return tuple(
            Fifo(s.name, s.element, s.shape, s.depth_elems or _STREAM_DEPTH, s.block)
            for s in self.stores.values()
            if s.is_stream and s.name in used
        )

    def memories(self, processes: Sequence[Process]) -> Iterator[Memory]:
        """Yield the other stores that processes touch.

        The tool splits those without a pragma that are buffers, or that lanes touch: there the
        published designs show that it does.
        """
        ports: dict[str, list[tuple[int, Pipeline, Port]]] = defaultdict(list)
        for number, process in enumerate(processes):
            for pipeline in process.pipelines:
                for port in pipeline.ports:
                    ports[port.target].append((number, pipeline, port))
        for store in self.stores.values():
            touching = ports[store.name]
            if store.is_stream or not touching:
                continue
            reached = [reach(port, pipeline) for _, pipeline, port in touching]
            shape = tuple(s or max(each) for s, *each in zip(store.shape, *reached, strict=True))
            users = len({number for number, _, _ in touching})
            is_written = any(port.mode is AccessMode.WRITE for _, _, port in touching)
            outside = store.is_argument or not is_written
            storage = Storage(shape, tuple(factor for factor, _ in store.splits), outside, None)
            memory = memory_of(store.name, storage, store.element, outside=outside, users=users)
            has_lanes = any(pipeline.lanes for _, pipeline, _ in touching)
            is_seen = memory.place is Place.PING_PONG or has_lanes
            splits = memory.tool_splits and is_seen
            place = Place.ROM if store.is_table else memory.place
            yield replace(
                memory,
                tool_splits=splits,
                place=place,
                block=store.block,
                in_words=tuple(at for at, (_, in_word) in enumerate(store.splits) if in_word),
            )
