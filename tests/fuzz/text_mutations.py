"""Text and bytes one step away from good ones."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from random import Random

__all__ = ["mutated_bytes", "mutated_text"]

_EXTREMES = [
    b"0", b"-1", b"1", b"2", b"3", b"65536", b"1000000", b"2147483647", b"-2147483648",
    b"4294967296", b"9223372036854775807", b"-9223372036854775808", b"18446744073709551616",
    b"1000000000000", b"1e308", b"1e999", b"-0.0", b"1e-320", b"0x7fffffff", b"0.5", b"9" * 60,
]  # fmt: skip
_PIECES = [
    b"(", b")", b"{", b"}", b"[", b"]", b";", b",", b"*", b"&", b"#", b"%", b"/", b"-", b"?", b":",
    b"<", b">", b"=", b"->", b"\n", b"\\", b'"', b"\0", b"\xff", b"for", b"if", b"int", b"float",
    b"static", b"template<", b"struct", b"#define i ", b"affine.for", b"memref<", b"x", b"/*",
]  # fmt: skip
_TOKEN = re.compile(rb"\d[\w.]*|\w+|\s+|[^\w\s]")


def _flip(made: bytearray, other: bytes, rng: Random) -> None:
    del other
    for _ in range(rng.choice((1, 1, 2, 8))):
        if made:
            made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)


def _cut(made: bytearray, _: bytes, rng: Random) -> None:
    del made[rng.randrange(len(made) + 1) :]


def _join(made: bytearray, other: bytes, rng: Random) -> None:
    cut = rng.randrange(len(other) + 1)
    made[rng.randrange(len(made) + 1) :] = other[cut:]


def _drop(made: bytearray, _: bytes, rng: Random) -> None:
    begin = rng.randrange(len(made) + 1)
    del made[begin : begin + rng.randrange(1, 20)]


def _stutter(made: bytearray, _: bytes, rng: Random) -> None:
    begin = rng.randrange(len(made) + 1)
    part = made[begin : begin + rng.randrange(1, 40)]
    made[begin:begin] = part * rng.choice((1, 2, 50))


_ON_BYTES = (_flip, _cut, _join, _drop, _stutter)


def mutated_bytes(data: bytes, other: bytes, rng: Random) -> bytes:
    """Flip, cut, join, drop or repeat bytes."""
    made = bytearray(data)
    rng.choice(_ON_BYTES)(made, other, rng)
    return bytes(made)


def _kind(token: bytes) -> str:
    return "number" if token[:1].isdigit() else "name" if token[:1].isalnum() else "sign"


def _solid(tokens: Sequence[bytes], kind: str = "") -> list[int]:
    """Return where tokens other than blanks are, of one kind if there are any."""
    solid = [at for at, token in enumerate(tokens) if not token.isspace()] or [0]
    return [at for at in solid if _kind(tokens[at]) == kind] or solid


def _delete(tokens: list[bytes], _: bytes, rng: Random) -> None:
    tokens[rng.choice(_solid(tokens))] = b""


def _double(tokens: list[bytes], _: bytes, rng: Random) -> None:
    at = rng.choice(_solid(tokens))
    tokens[at] += b" " + tokens[at]


def _swap(tokens: list[bytes], _: bytes, rng: Random) -> None:
    at, to = rng.choice(_solid(tokens)), rng.choice(_solid(tokens))
    tokens[at], tokens[to] = tokens[to], tokens[at]


def _swap_alike(tokens: list[bytes], _: bytes, rng: Random) -> None:
    at = rng.choice(_solid(tokens))
    to = rng.choice(_solid(tokens, _kind(tokens[at])))
    tokens[at], tokens[to] = tokens[to], tokens[at]


def _copy_alike(tokens: list[bytes], _: bytes, rng: Random) -> None:
    at = rng.choice(_solid(tokens))
    tokens[at] = tokens[rng.choice(_solid(tokens, _kind(tokens[at])))]


def _extreme(tokens: list[bytes], _: bytes, rng: Random) -> None:
    tokens[rng.choice(_solid(tokens, "number"))] = rng.choice(_EXTREMES)


def _count(tokens: list[bytes], _: bytes, rng: Random) -> None:
    tokens[rng.choice(_solid(tokens, "number"))] = b"%d" % rng.randrange(20)


def _insert(tokens: list[bytes], _: bytes, rng: Random) -> None:
    tokens[rng.choice(_solid(tokens))] += b" " + rng.choice(_PIECES)


def _repeat(tokens: list[bytes], _: bytes, rng: Random) -> None:
    begin, end = sorted((rng.choice(_solid(tokens)), rng.choice(_solid(tokens))))
    tokens[begin:end] = tokens[begin:end] * rng.choice((0, 2, 3))


def _splice(tokens: list[bytes], other: bytes, rng: Random) -> None:
    rest: list[bytes] = _TOKEN.findall(other) or [b" "]
    tokens[rng.randrange(len(tokens)) :] = rest[rng.randrange(len(rest)) :]


_ON_TOKENS: Sequence[Callable[[list[bytes], bytes, Random], None]] = (
    _delete, _double, _swap, _swap_alike, _copy_alike, _copy_alike, _extreme, _extreme, _count,
    _count, _insert, _repeat, _splice,
)  # fmt: skip


def mutated_text(data: bytes, other: bytes, rng: Random) -> bytes:
    """Delete, repeat, swap, replace or splice tokens; or mutate bytes."""
    if rng.random() < 0.15:
        return mutated_bytes(data, other, rng)
    tokens: list[bytes] = _TOKEN.findall(data) or [b" "]
    for _ in range(rng.choice((1, 1, 1, 2))):
        rng.choice(_ON_TOKENS)(tokens, other, rng)
        tokens = tokens or [b" "]
    return b"".join(tokens)
