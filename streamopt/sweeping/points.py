"""Expands an experiment into points, whose key hashes everything that their row depends on."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from streamopt import __version__
from streamopt.errors import Diagnostic, SourceLoc, StreamoptError, SweepError
from streamopt.pipeline.comparing import ComparisonCase
from streamopt.report.record import Record
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.sweeping.documents import BlockDocument, ExperimentDocument

ONE_FILE = "*?["
"""Characters without which a pattern is a file's name."""


@dataclass(frozen=True, slots=True)
class Point:
    """The configuration that one row measures."""

    key: str
    """Hash of everything else, of the device's tables and of streamopt's version."""
    program: str
    """``suite/name``: folder and name of the graph's file."""
    graph: str
    """The text of its graph.json, so that a cluster needs no files."""
    way: ComparisonCase
    row_limit_seconds: float
    device: str
    clock_ns: float | None


@dataclass(frozen=True, slots=True)
class _Found:
    """A graph's file as it was read: with which macros, and the text of its graph.json."""

    path: Path
    defines: dict[str, str]
    text: str = ""

    def __str__(self) -> str:
        macros = " ".join(f"{name}={value}" for name, value in self.defines.items())
        return f"{self.path} with {macros}" if macros else str(self.path)


def points_of(experiment: ExperimentDocument, file: Path) -> list[Point]:
    """Return all points in the order of the file, each once.

    Raises
    ------
    SweepError
        E883 where a pattern gives no graph, or two graphs have the same name.
    StreamoptError
        What is wrong with a graph or a device.
    """
    graphs: dict[str, _Found] = {}
    found: dict[str, Point] = {}
    for block in experiment.blocks():
        device = _device(block, file)
        tables = asdict(device)
        for path in _files(block, file):
            program, text = _read(block, path, graphs, file)
            for way in _ways(block, program):
                members = {
                    "version": __version__,
                    "program": program,
                    "graph": text,
                    "tables": tables,
                    "row_limit_seconds": block.row_limit_seconds,
                    **asdict(way),
                }
                key = _hash(members)
                limits = (block.row_limit_seconds, block.device, block.clock_ns)
                found.setdefault(key, Point(key, program, text, way, *limits))
    return list(found.values())


def _hash(members: dict[str, Any]) -> str:
    """Return the same for the same members in every process; sets have no order of their own."""
    text = json.dumps(members, sort_keys=True, default=lambda found: sorted(map(str, found)))
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def task_of(point: Point) -> dict[str, Any]:
    """Return a point as plain values, which other processes take."""
    return asdict(point)


def way_record(way: ComparisonCase) -> Record:
    """Return the configuration as a record."""
    own = Record(level=way.level, strategy=way.strategy, dsp_limit=way.dsp)
    asked = Record(asked_solver=way.solver, seed=way.seed, fit=way.fit or None)
    return own if way.strategy else own | asked


def _ways(block: BlockDocument, program: str) -> list[ComparisonCase]:
    tiling, seconds = block.tiling_limit(program), block.time_limit_seconds
    levels = [
        ComparisonCase(str(level), "", dsp, solver, tiling, seconds, seed, str(fit))
        for dsp, fit, level, solver, seed in product(
            block.dsps, block.fits or ("",), block.levels, block.solvers, block.seeds
        )
    ]
    rivals = [
        ComparisonCase(strategy=str(strategy), dsp=dsp)
        for dsp, strategy in product(block.dsps, block.strategies)
    ]
    return levels + rivals


def _device(block: BlockDocument, file: Path) -> Target:
    from streamopt.pipeline import device

    name = block.device
    return device(str(file.parent / name) if name.endswith(".toml") else name, block.clock_ns)


def _files(block: BlockDocument, file: Path) -> list[Path]:
    """Return the files of all patterns in order; raises SweepError (E883) where one has none."""
    found: list[Path] = []
    for pattern in block.graphs:
        anchor = Path(Path(pattern).anchor) if Path(pattern).is_absolute() else file.parent
        inside = str(Path(pattern).relative_to(anchor)) if anchor != file.parent else pattern
        files = (
            sorted(anchor.glob(inside))
            if any(letter in ONE_FILE for letter in pattern)
            else [anchor / inside]
        )
        files = [path for path in files if path.is_file()]
        if not files:
            message = f"'{pattern}' is no file, and no pattern of one"
            hint = f"patterns start at the folder {file.parent.resolve()}"
            raise SweepError(Diagnostic("E883", message, SourceLoc(str(file), "graphs"), hint))
        found += files
    return list(dict.fromkeys(path.resolve() for path in found))


def _read(
    block: BlockDocument, path: Path, known: dict[str, _Found], file: Path
) -> tuple[str, str]:
    """Return name and graph.json of a file, read once; ``known`` gets what is new."""
    from streamopt.formats.graph_json import write_graph_json
    from streamopt.pipeline import SourceOptions, load

    program = f"{path.parent.name}/{path.stem}"
    macros = block.defines if path.suffix != ".json" else {}
    if program in known:
        other = known[program]
        if (other.path, other.defines) == (path, macros):
            return program, other.text
        message = f"two graphs are called {program}: {other} and {_Found(path, macros)}"
        hint = "rows are told apart by folder and file name"
        raise SweepError(Diagnostic("E883", message, SourceLoc(str(file), "graphs"), hint))
    try:
        include = [(file.parent / folder).resolve() for folder in block.include]
        text = write_graph_json(load(path, options=SourceOptions(define=macros, include=include)))
        for folder in (path.parent, *include):  # places don't say where a checkout is
            text = text.replace(json.dumps(f"{folder}/")[1:-1], "")
    except StreamoptError as error:
        error.add_note(f"in the experiment {file}")
        raise
    known[program] = _Found(path, macros, text)
    return program, text
