"""Protobuf messages one step away from good ones, by their fields and without their schema."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.fuzz.text_mutations import mutated_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["mutated_message"]

_INTEGERS = [0, 1, 2, 3, 7, 16, 255, 2**31 - 1, 2**31, 2**40, 2**63 - 1, 2**63, 2**64 - 1]
_VARINT, _LONG, _BYTES, _SHORT = 0, 1, 2, 5
_DEEPEST = 6


@dataclass(frozen=True, slots=True)
class _Field:
    number: int
    wire: int
    value: int | bytes | list[_Field]


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return a number and where it ends; behind the data if it doesn't."""
    value = shift = 0
    while at < len(data):
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at
    return 0, len(data) + 1


def _fields(data: bytes, depth: int = 0) -> list[_Field] | None:
    """Return the fields of a message; None if the bytes aren't one."""
    found: list[_Field] = []
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        number, wire = tag >> 3, tag & 7
        if number == 0 or wire not in (_VARINT, _LONG, _BYTES, _SHORT):
            return None
        if wire == _VARINT:
            value, at = _varint(data, at)
            found.append(_Field(number, wire, value))
            continue
        size, at = _varint(data, at) if wire == _BYTES else ({_LONG: 8, _SHORT: 4}[wire], at)
        part = data[at : at + size]
        at += size
        inner = _fields(part, depth + 1) if part and wire == _BYTES and depth < _DEEPEST else None
        found.append(_Field(number, wire, part if inner is None else inner))
    return found if at == len(data) else None


def _written(number: int) -> bytes:
    number &= 2**64 - 1
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    return bytes([*made, number])


def _encoded(fields: Sequence[_Field]) -> bytes:
    made = bytearray()
    for field in fields:
        made += _written(field.number << 3 | field.wire)
        if isinstance(field.value, int):
            made += _written(field.value)
            continue
        part = field.value if isinstance(field.value, bytes) else _encoded(field.value)
        made += (_written(len(part)) if field.wire == _BYTES else b"") + part
    return bytes(made)


def _messages(fields: list[_Field]) -> list[list[_Field]]:
    found = [fields] if fields else []
    for field in fields:
        if isinstance(field.value, list):
            found += _messages(field.value)
    return found


def _delete(message: list[_Field], _: Sequence[_Field], rng: Random) -> None:
    del message[rng.randrange(len(message))]


def _graft(message: list[_Field], source: Sequence[_Field], rng: Random) -> None:
    message.insert(rng.randrange(len(message) + 1), deepcopy(rng.choice(source)))


def _renumber(message: list[_Field], _: Sequence[_Field], rng: Random) -> None:
    at = rng.randrange(len(message))
    message[at] = replace(message[at], number=rng.randrange(1, 16))


def _swap(message: list[_Field], _: Sequence[_Field], rng: Random) -> None:
    at, to = rng.randrange(len(message)), rng.randrange(len(message))
    message[at], message[to] = message[to], message[at]


def _edit(message: list[_Field], _: Sequence[_Field], rng: Random) -> None:
    at = rng.randrange(len(message))
    match message[at]:
        case _Field(value=int()) as field:
            message[at] = replace(field, value=rng.choice(_INTEGERS))
        case _Field(value=bytes(part), wire=wire) as field:
            changed = mutated_bytes(part, b"Add", rng) if wire == _BYTES else part[::-1]
            message[at] = replace(field, value=changed)
        case field:
            message[at] = replace(field, value=[])


_CHANGES: Sequence[Callable[[list[_Field], Sequence[_Field], Random], None]] = (
    _delete, _graft, _renumber, _swap, _edit, _edit, _edit,
)  # fmt: skip


def mutated_message(data: bytes, other: bytes, rng: Random) -> bytes:
    """Change, drop, graft, move or renumber fields; or mutate bytes."""
    fields = _fields(data)
    if fields is None or rng.random() < 0.2:
        return mutated_bytes(data, other, rng)
    for _ in range(rng.choice((1, 1, 2, 3))):
        if messages := _messages(fields):
            rng.choice(_CHANGES)(rng.choice(messages), rng.choice(messages), rng)
    return _encoded(fields)
