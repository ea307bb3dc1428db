from __future__ import annotations

import os
import tracemalloc
from functools import partial
from typing import TYPE_CHECKING

import pytest

from streamopt.errors import StreamoptError
from streamopt.files import read_bytes
from streamopt.formats.graph_json import load_graph_json
from streamopt.formats.schedule_json import load_schedule_json
from streamopt.formats.steps_json import load_steps_json
from streamopt.frontends.mlir import read_mlir
from streamopt.pipeline.reporting import load_rows
from streamopt.published.reader import load_published_design
from streamopt.solvers.profiles import load_profile
from streamopt.sweeping.documents import read_experiment

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def _onnx(path: Path) -> object:
    pytest.importorskip("onnx")
    from streamopt.frontends.onnx_model import read_onnx

    return read_onnx(path)


def _profile(path: Path) -> object:
    return load_profile("highs", str(path))


READERS: dict[str, Callable[[Path], object]] = {
    "design": load_published_design,
    "experiment": read_experiment,
    "graph": load_graph_json,
    "mlir": read_mlir,
    "onnx": _onnx,
    "profile": _profile,
    "rows": load_rows,
    "schedule": load_schedule_json,
    "steps": load_steps_json,
}


@pytest.mark.parametrize("name", READERS)
def test_devices_and_pipes_are_refused(name: str, tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.toml"
    os.mkfifo(pipe)
    endless = tmp_path / "endless.toml"
    endless.symlink_to("/dev/zero")
    for path in (pipe, endless):
        with pytest.raises(StreamoptError, match="device or a pipe"):
            READERS[name](path)


def test_size_is_limited(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(bytes(1000))
    assert len(read_bytes(path, 1000)) == 1000
    with pytest.raises(ValueError, match="larger than 999 bytes"):
        read_bytes(path, 999)
    for missing in (partial(read_bytes, tmp_path / "no"), partial(read_bytes, tmp_path)):
        with pytest.raises(OSError, match=r"No such file|Is a directory"):
            missing()


def test_a_small_file_takes_little_room_whatever_its_limit(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"few")
    tracemalloc.start()
    try:
        assert read_bytes(tmp_path / "x", 2**28) == b"few"
        assert tracemalloc.get_traced_memory()[1] < 2**20
    finally:
        tracemalloc.stop()
