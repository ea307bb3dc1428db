"""Loads the kernel with XRT, runs it once, and compares its outputs with the golden ones.

Usage: host.py [binary [data directory]]
"""

import sys
from collections import namedtuple
from pathlib import Path

import numpy as np
import pyxrt

# stride: elements that the words of one tile iteration have room for; 0 for a single number.
Array = namedtuple("Array", "name dtype is_given extents order lanes stride")

ARRAYS = [
@{arrays}]


def iterations(array):
    return np.prod([-(-n // lane) for n, lane in zip(array.extents, array.lanes)], dtype=int)


def places(array):
    """Return where each element of an array stands among the words that the kernel moves."""
    index = np.indices(array.extents)
    iteration = lane = np.zeros(array.extents, int)
    for at in array.order:
        tiles = -(-array.extents[at] // array.lanes[at])
        iteration = iteration * tiles + index[at] // array.lanes[at]
        lane = lane * array.lanes[at] + index[at] % array.lanes[at]
    return iteration * array.stride + lane


def packed(array, values):
    words = np.zeros(iterations(array) * array.stride, array.dtype)
    words[places(array)] = values
    return words


def run(binary, data):
    device = pyxrt.device(0)
    uuid = device.load_xclbin(pyxrt.xclbin(binary))
    kernel = pyxrt.kernel(device, uuid, "@{top}", pyxrt.kernel.shared)
    direction = pyxrt.xclBOSyncDirection
    arguments = []
    for at, array in enumerate(ARRAYS):
        values = None
        if array.is_given:
            values = np.fromfile(data / f"{array.name}.bin", array.dtype).reshape(array.extents)
        if array.stride == 0:
            arguments.append(values.reshape(-1)[0].item())
            continue
        size = int(iterations(array) * array.stride * np.dtype(array.dtype).itemsize)
        buffer = pyxrt.bo(device, size, pyxrt.bo.normal, kernel.group_id(at))
        if array.is_given:
            buffer.write(packed(array, values).tobytes(), 0)
            buffer.sync(direction.XCL_BO_SYNC_BO_TO_DEVICE, size, 0)
        arguments.append(buffer)
    state = kernel(*arguments).wait()
    if state != pyxrt.ert_cmd_state.ERT_CMD_STATE_COMPLETED:
        sys.exit(f"host: the kernel ended with {state}")
    results = {}
    for array, buffer in zip(ARRAYS, arguments):
        if not array.is_given:
            buffer.sync(direction.XCL_BO_SYNC_BO_FROM_DEVICE, buffer.size(), 0)
            words = np.frombuffer(buffer.map(), array.dtype)
            results[array.name] = words[places(array)]
    return results


def main():
    binary = sys.argv[1] if len(sys.argv) > 1 else "@{top}.xclbin"
    data = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).parent / "data"
    passed = True
    for name, got in run(binary, data).items():
        golden = np.fromfile(data / f"{name}.golden.bin").reshape(got.shape)
        tolerance = np.fromfile(data / f"{name}.tolerance.bin").reshape(got.shape)
        wrong = int(np.count_nonzero(~(np.abs(got - golden) <= tolerance)))
        print(f"{'FAIL' if wrong else 'pass'} {name}: {got.size} elements, {wrong} wrong")
        passed &= wrong == 0
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
