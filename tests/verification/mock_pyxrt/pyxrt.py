"""pyxrt as far as emitted hosts use it; the binary is a shared library with the kernel."""

from __future__ import annotations

import ctypes
import enum
import os


class xclBOSyncDirection(enum.Enum):  # noqa: N801
    XCL_BO_SYNC_BO_TO_DEVICE = 0
    XCL_BO_SYNC_BO_FROM_DEVICE = 1


class ert_cmd_state(enum.Enum):  # noqa: N801
    ERT_CMD_STATE_COMPLETED = 4


class xclbin:  # noqa: N801
    def __init__(self, path: str) -> None:
        self.path = path


class device:  # noqa: N801
    def __init__(self, index: int) -> None:
        assert index == 0

    def load_xclbin(self, binary: xclbin) -> ctypes.CDLL:
        return ctypes.CDLL(binary.path)


class bo:  # noqa: N801
    normal = 0

    def __init__(self, on: device, size: int, flags: int, group: int) -> None:
        self.host, self.device, self.group = bytearray(size), bytearray(size), group
        assert flags == self.normal

    def write(self, content: bytes, offset: int) -> None:
        assert offset == 0
        assert len(content) == len(self.host)
        self.host[:] = content

    def sync(self, direction: xclBOSyncDirection, size: int, offset: int) -> None:
        assert (size, offset) == (len(self.host), 0)
        if direction is xclBOSyncDirection.XCL_BO_SYNC_BO_TO_DEVICE:
            self.device[:] = self.host
        else:
            self.host[:] = self.device

    def size(self) -> int:
        return len(self.host)

    def map(self) -> memoryview:
        return memoryview(self.host)


class _Run:
    def wait(self) -> ert_cmd_state:
        return ert_cmd_state.ERT_CMD_STATE_COMPLETED


class _Room:
    """Memory for a buffer, aligned like words; a bytearray need not be."""

    def __init__(self, buffer: bo) -> None:
        self.buffer = buffer
        self.memory = ctypes.create_string_buffer(len(buffer.device) + 64)
        start = ctypes.addressof(self.memory)
        self.address = start + -start % 64
        ctypes.memmove(self.address, bytes(buffer.device), len(buffer.device))

    def take_back(self) -> None:
        self.buffer.device[:] = ctypes.string_at(self.address, len(self.buffer.device))


class kernel:  # noqa: N801
    shared = 1

    def __init__(self, on: device, binary: ctypes.CDLL, name: str, mode: int) -> None:
        assert mode == self.shared
        self.function = getattr(binary, name)

    def group_id(self, argument: int) -> int:
        banks = os.environ.get("MOCK_BANKS")
        return int(banks.split(",")[argument]) if banks else 100 + argument

    def __call__(self, *arguments: bo | int) -> _Run:
        """Start a run; numbers are the bits of floats."""
        given: list[ctypes.c_void_p | ctypes.c_float] = []
        rooms: dict[int, _Room] = {}  # one buffer may be several arguments
        for at, one in enumerate(arguments):
            if isinstance(one, bo):
                assert one.group == self.group_id(at), "a buffer in the bank of another"
                room = rooms.setdefault(id(one), _Room(one))
                given.append(ctypes.c_void_p(room.address))
            else:
                assert isinstance(one, int), "pyxrt casts a number to int, and leaves it out else"
                given.append(ctypes.c_float.from_buffer_copy(ctypes.c_int(one)))
        self.function(*given)
        for room in rooms.values():
            room.take_back()
        return _Run()
