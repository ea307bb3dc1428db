"""Files of tensors in the safetensors format: a header in JSON, then raw numbers.

The format is described at https://huggingface.co/docs/safetensors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from streamopt.errors import Diagnostic, FrontendError, SourceLoc, reason

UNREADABLE: Final = "E191"
"""Code of files of a language model that can't be read."""
MOST_HEADER_BYTES = 2**26
KINDS = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "BF16": "<u2"}


def read_safetensors(path: Path) -> Mapping[str, NDArray[np.float32]]:
    """Return the floating-point tensors of a file, by name; others are left out.

    Raises
    ------
    FrontendError
        E191 if it is no such file.
    """
    try:
        data = np.asarray(np.memmap(path, np.uint8, "r"))
        size = int.from_bytes(data[:8].tobytes(), "little")
        if data.size < 8 or not 0 < size <= min(MOST_HEADER_BYTES, data.size - 8):
            raise ValueError("its header has no such size")
        header = cast("dict[str, Any]", json.loads(data[8 : 8 + size].tobytes()))
        return {
            name: _tensor(data[8 + size :], entry)
            for name, entry in header.items()
            if name != "__metadata__" and entry["dtype"] in KINDS
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        said = reason(error) if isinstance(error, OSError) else str(error)
        message = f"the tensors can't be read: {said}"
        hint = "is the file complete? Large ones are pointers until Git LFS has loaded them"
        raise FrontendError(Diagnostic(UNREADABLE, message, SourceLoc(str(path)), hint)) from None


def _tensor(data: NDArray[np.uint8], entry: Mapping[str, Any]) -> NDArray[np.float32]:
    first, last = entry["data_offsets"]
    values = data[first:last].view(KINDS[entry["dtype"]])
    if entry["dtype"] == "BF16":
        values = (values.astype(np.uint32) << 16).view(np.float32)
    return values.reshape(entry["shape"]).astype(np.float32)
