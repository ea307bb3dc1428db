"""Tries many inputs, each in a fork of this process; told as a line of JSON each.

``python -m tests.fuzz.worker EVERY KIND:FIRST:COUNT ...`` mutates seeds; of the inputs that are
read, each ``EVERY``-th is solved and written, too. ``python -m tests.fuzz.worker attack NAME ...``
tries what somebody made to break a reader, everything where nothing is named.
"""

from __future__ import annotations

import importlib
import json
import sys
import tempfile
from dataclasses import asdict
from functools import partial
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

from tests.fuzz.archive_mutations import mutated_archive
from tests.fuzz.attacks import ATTACKS, BUILT
from tests.fuzz.document_mutations import mutated_document
from tests.fuzz.limits import attempt
from tests.fuzz.message_mutations import mutated_message
from tests.fuzz.seeds import SCHEDULED, SEEDS, WEIGHTED
from tests.fuzz.text_mutations import mutated_text

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tests.fuzz.limits import Outcome

_PRELOADED = (
    "streamopt.cli.main",
    "streamopt.frontends.c",
    "streamopt.formats.weights",
    "streamopt.frontends.mlir",
    "streamopt.frontends.onnx_model.reader",
    "streamopt.transforms.canonicalize",
    "streamopt.transforms.restructure",
)
_SUFFIXES = {"schedule": ".json", "turns": ".json", "weights": ".npz"}


def read(kind: str, path: Path) -> str:
    """Return the code of the error that an input ends with; ``read`` if it is taken."""
    import streamopt as so
    from streamopt.errors import StreamoptError

    try:
        if kind in SCHEDULED:
            graph = so.dataflow(so.load(SCHEDULED[kind]))
            so.apply(graph, so.load_schedule(path))
        else:
            source = path.with_suffix(".json") if kind == "weights" else path
            so.dataflow(so.load(source))
    except StreamoptError as error:
        str(error).encode()
        return error.diagnostics[0].code
    return "read"


def built(kind: str, path: Path, number: int) -> str:
    """Return the exit code of solving and writing an input that is read."""
    from streamopt.cli.main import main

    directory = str(path.with_name("project"))
    if kind in SCHEDULED:
        words = ["emit", str(SCHEDULED[kind]), "--schedule", str(path), "-o", directory]
    else:
        source = path.with_suffix(".json") if kind == "weights" else path
        level = ("opt1", "opt5")[number // 7 % 2]
        words = ["solve", str(source), "--level", level, "--dsp", "60", "--time-limit", "1"]
        words += ["-o", directory, "--quiet"]
    sys.argv = ["streamopt", *words]
    code: object = 0
    try:
        main()
    except SystemExit as ended:
        code = ended.code
    assert code in (None, 0, 2), f"exit code {code} of {' '.join(words)}"
    return f"exit code {code}"


_MUTATED: Mapping[str, Callable[[bytes, bytes, Random], bytes]] = {
    "c": mutated_text,
    "cpp": mutated_text,
    "mlir": mutated_text,
    "json": mutated_document,
    "schedule": mutated_document,
    "turns": mutated_document,
    "onnx": mutated_message,
    "weights": mutated_archive,
}


def mutated(kind: str, number: int, seeds: Sequence[bytes]) -> bytes:
    """Return an input that depends on its kind and number alone."""
    rng = Random(f"{kind} {number}")
    return _MUTATED[kind](rng.choice(seeds), rng.choice(seeds), rng)


def _placed(kind: str, data: bytes, folder: Path) -> Path:
    """Write an input, and what belongs to it."""
    path = folder / f"seed{_SUFFIXES.get(kind, '.' + kind)}"
    path.write_bytes(data)
    if kind == "weights":
        path.with_suffix(".json").write_text(WEIGHTED)
    return path


def _warm_up(kind: str, seed: bytes) -> None:
    """Read a good input, so that grammars are made once; MLIR starts threads, which forks lack."""
    if kind not in ("onnx", "mlir"):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            assert read(kind, _placed(kind, seed, Path(name))) == "read"


def _tell(outcome: Outcome) -> None:
    sys.stdout.write(f"{json.dumps(asdict(outcome))}\n")
    sys.stdout.flush()


def _mutate(kind: str, first: int, count: int, every: int) -> None:
    seeds = SEEDS[kind]()
    _warm_up(kind, seeds[0])
    for number in range(first, first + count):
        with tempfile.TemporaryDirectory(prefix="fuzz-") as name:
            path = _placed(kind, mutated(kind, number, seeds), Path(name))
            label = f"{kind} {number}"
            outcome = attempt(label, partial(read, kind, path), path.parent)
            _tell(outcome)
            if outcome.said == "read" and number % every == 0:
                _tell(attempt(f"{label} built", partial(built, kind, path, number), path.parent))


def _attack(names: Sequence[str]) -> None:
    for kind in ("json", "c", "cpp"):
        _warm_up(kind, SEEDS[kind]()[0])
    for name in names or ATTACKS:
        with tempfile.TemporaryDirectory(prefix="fuzz-") as directory:
            path = ATTACKS[name](Path(directory))
            _tell(attempt(name, partial(read, "attack", path), path.parent))
            if name in BUILT:
                _tell(attempt(f"{name} built", partial(built, "attack", path, 0), path.parent))


def main() -> None:
    """Try the inputs that the command line names."""
    first, *others = sys.argv[1:]
    for module in _PRELOADED:
        importlib.import_module(module)
    if first == "attack":
        _attack(others)
        return
    for kind, begin, count in (other.split(":") for other in others):
        _mutate(kind, int(begin), int(count), int(first))


if __name__ == "__main__":
    main()
