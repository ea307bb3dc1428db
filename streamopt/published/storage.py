"""Arrays and streams of a published design: which there are, who touches them, where they are."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.ir.element import ElementType
from streamopt.ir.network import Memory, Place

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from streamopt.published.document import (
        DesignAccess,
        DesignArray,
        DesignChannel,
        DesignDocument,
        DesignNode,
    )

__all__ = ["Storage", "element_types", "memory_of", "storages", "streams_of", "target_of"]

_C_TYPES: Mapping[str, ElementType] = {
    **{element.value: element for element in ElementType},
    "int": ElementType.INT32,
    "unsigned": ElementType.UINT32,
    "char": ElementType.INT8,
    "bool": ElementType.UINT8,
    "long": ElementType.INT64,
}


_STREAMS = frozenset({"stream", "fifo"})


class Storage(NamedTuple):
    """What is declared of an array or stream."""

    shape: tuple[int, ...]
    factors: tuple[int, ...]
    crosses_boundary: bool
    depth_elems: int | None


def element_types(
    document: DesignDocument, file: str
) -> tuple[dict[str, ElementType], ElementType, list[Diagnostic]]:
    """Return the types of the top arrays, the design's most frequent one, and problems (E146)."""
    found: dict[str, ElementType] = {}
    problems: list[Diagnostic] = []
    for place, array in enumerate(document.top.args):
        if array.type is None:
            continue
        element = _C_TYPES.get(_plain_type(array.type))
        if element is None:
            message = f"'{array.name}' has type '{array.type}', which is not known"
            loc = SourceLoc(file, f"top.args[{place}].type")
            problems.append(Diagnostic("E146", message, loc, f"known: {', '.join(_C_TYPES)}"))
        else:
            found[array.name] = element
    usual = Counter(found.values()).most_common(1)
    return found, usual[0][0] if usual else ElementType.FLOAT, problems


def _plain_type(text: str) -> str:
    """Return a type without ``const``, ``&``, ``*`` and the stream around it."""
    inner = re.sub(r"\b(const|volatile)\b|[&*]", "", text).strip()
    stream = re.fullmatch(r"(?:hls::)?stream\s*<\s*([^,<>]+?)\s*(?:,[^<>]*)?>", inner)
    return inner if stream is None else stream[1]


def storages(document: DesignDocument) -> dict[str, Storage]:
    """Return what is declared, by the name that the network has for it."""
    found: dict[str, Storage] = {}
    arguments = {array.name: array for array in document.top.args}
    inside = {a.channel: a for node in document.nodes for a in node.args if a.channel}
    for name, array in arguments.items():
        found[name] = Storage(array.shape, _factors((array,)), True, None)
    for channel in document.channels:
        name = channel.name
        declared = [channel, *(group[name] for group in (arguments, inside) if name in group)]
        outer = name in arguments or channel.kind == "top_arg"
        found[name] = Storage(_shape(declared), _factors(declared), outer, channel.depth)
    for node in document.nodes:
        for array in node.local_arrays:
            name = _storage_name(array.name, None, node, document)
            found.setdefault(name, Storage(array.shape, _factors((array,)), False, None))
    return found


def streams_of(document: DesignDocument) -> frozenset[str]:
    """Return the names of the FIFOs: what is declared or accessed as one."""
    declared = {channel.name for channel in document.channels if channel.kind in _STREAMS}
    targets = (
        (access.kind, target_of(access, node, document))
        for node in document.nodes
        for access in node.accesses
    )
    return frozenset(name for kind, name in targets if kind in _STREAMS or name in declared)


def target_of(access: DesignAccess, node: DesignNode, document: DesignDocument) -> str:
    """Return the network's name of what an access of a node touches."""
    name = _storage_name(access.array, access.channel, node, document)
    if access.kind == "register" and name == access.array and not _is_top_name(name, document):
        return f"{node.name}.{name}"
    return name


def _storage_name(
    array: str, channel: str | None, node: DesignNode, document: DesignDocument
) -> str:
    """Return the network's name of what a node calls ``array``: unique for each local array.

    Without a channel it is an argument of the node, an array of its own, or one of the top
    function.
    """
    passed = (a.channel for a in node.args if a.name == array and a.channel is not None)
    channel = channel or next(passed, None)
    if channel is not None:
        return channel
    owners = [n.name for n in document.nodes if any(a.name == array for a in n.local_arrays)]
    if node.name in owners and (len(owners) > 1 or _is_top_name(array, document)):
        return f"{node.name}.{array}"
    return array


def _is_top_name(name: str, document: DesignDocument) -> bool:
    return any(c.name == name for c in (*document.channels, *document.top.args))


def _shape(declared: Sequence[DesignArray | DesignChannel]) -> tuple[int, ...]:
    return next((array.shape for array in declared if array.shape), ())


def _factors(declared: Sequence[DesignArray | DesignChannel]) -> tuple[int, ...]:
    """Return the partition factors of the first declaration that splits; 0 is every element."""
    shape = _shape(declared)
    for array in declared:
        if len(array.partition) == len(shape):
            pairs = zip(array.partition, shape, strict=True)
            factors = tuple(extent if factor == 0 else factor or 1 for factor, extent in pairs)
            if any(factor > 1 for factor in factors):
                return factors
    return (1,) * len(shape)


def memory_of(
    name: str, storage: Storage, element: ElementType, *, outside: bool, users: int
) -> Memory:
    """Return the memory that a declaration means.

    Parameters
    ----------
    outside
        Whether its values come from outside, or go there.
    users
        Processes that touch it: an array inside the design that two of them touch is a ping-pong
        buffer between them.
    """
    inside = Place.PING_PONG if users > 1 else Place.LOCAL
    place = Place.ARGUMENT if outside else inside
    return Memory(name, place, element, storage.shape, storage.factors)
