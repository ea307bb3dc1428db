"""Archives of arrays (``.npz``) one step away from good ones."""

from __future__ import annotations

import io
import re
import struct
import warnings
import zipfile
from typing import TYPE_CHECKING

from tests.fuzz.text_mutations import mutated_bytes, mutated_text

if TYPE_CHECKING:
    from random import Random

__all__ = ["mutated_archive"]

_SHAPES = (b"(2**40,)", b"(1099511627776,)", b"()", b"(-1,)", b"(0, 4)", b"4", b"(8, 6, 1)")
_TYPES = (b"'|O'", b"'<f8'", b"'>f4'", b"'<c8'", b"'|S9'", b"[('a', '<f4')]", b"'<i4'")
_PACKED = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_LZMA)


def mutated_archive(data: bytes, other: bytes, rng: Random) -> bytes:
    """Change members, their names and their headers; or mutate bytes."""
    if rng.random() < 0.4:
        return mutated_bytes(data, other, rng)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        members = [(name, archive.read(name)) for name in archive.namelist()]
    at = rng.randrange(len(members))
    name, content = members[at]
    match rng.randrange(5):
        case 0:
            members.pop(at)
        case 1:
            names = ("x.npy", "", "../w.npy", name[:-4], f"{name}.npy", "w.npy")
            members[at] = (rng.choice(names), content)
        case 2:
            members.append((f"{name[:-4]}_more.npy", content))
        case _:
            members[at] = (name, _array(content, rng))
    return _zipped(members, rng.choice(_PACKED))


def _zipped(members: list[tuple[str, bytes]], packed: int) -> bytes:
    made = io.BytesIO()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of names that come twice
        with zipfile.ZipFile(made, "w", packed) as archive:
            for name, content in members:
                archive.writestr(zipfile.ZipInfo(name), content, packed)
    return made.getvalue()


def _array(content: bytes, rng: Random) -> bytes:
    """Change the header of an array, or its data."""
    size = struct.unpack("<H", content[8:10])[0]
    header, values = content[10 : 10 + size].rstrip(), content[10 + size :]
    match rng.randrange(4):
        case 0:
            header = mutated_text(header, b"(1, 2)", rng)
        case 1:
            shape = rng.choice(_SHAPES)
            header = re.sub(rb"\([^)]*\)", lambda _: shape, header)
        case 2:
            element = rng.choice(_TYPES)
            header = re.sub(rb"'<f4'", lambda _: element, header)
        case _:
            values = mutated_bytes(values, header, rng)
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return content[:8] + struct.pack("<H", len(header) & 0xFFFF) + header + values
