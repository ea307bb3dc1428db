"""The TOML file of an experiment, as pydantic models.

Imported only when a file is read: pydantic takes longer to import than the command line may take
to start.
"""

import tomllib
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from streamopt.errors import Diagnostic, SourceLoc, SweepError, reason, said
from streamopt.files import read_text
from streamopt.space.level import LevelName
from streamopt.strategies.rival import RivalName
from streamopt.target.resources import Fit

DEFAULT = "default"
"""The key of the tiling limit of programs that have none of their own."""

Positive = Annotated[int, Field(ge=1)]
Seconds = Annotated[float, Field(gt=0, strict=False)]
Text = Annotated[str, Field(min_length=1)]


class BlockDocument(BaseModel):
    """Lists that have a row for every combination; ``[[more]]`` takes what it lacks from above."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)

    graphs: list[Text] = Field(default=[], description="files or patterns, from the file's folder")
    defines: dict[str, str] = Field(default={}, description="macros of C files")
    include: list[Text] = Field(default=[], description="header folders, from the file's folder")
    levels: list[Annotated[LevelName, Field(strict=False)]] = []
    strategies: list[Annotated[RivalName, Field(strict=False)]] = []
    solvers: list[Text] = Field(default=["auto"], min_length=1)
    dsps: list[Positive] = Field(default=[2560], min_length=1)
    fits: list[Annotated[Fit, Field(strict=False)]] = Field(
        default=[], description="parts of the device, see solve --fit; none for the level's own"
    )
    seeds: list[int] = Field(default=[0], min_length=1)
    tiling_limits: dict[str, Positive] = {}
    time_limit_seconds: Seconds | None = None
    row_limit_seconds: Seconds = 3600.0
    device: Text = "u280"
    clock_ns: Seconds | None = None

    def tiling_limit(self, program: str) -> int | None:
        """Return that of ``suite/name``, of ``name``, the default one, or None for the level's."""
        names = (program, program.rpartition("/")[2], DEFAULT)
        return next((self.tiling_limits[n] for n in names if n in self.tiling_limits), None)


class ExperimentDocument(BlockDocument):
    """An experiment."""

    more: list[BlockDocument] = []

    def blocks(self) -> list[BlockDocument]:
        """Return the experiment's own block and all others, complete."""
        own = {name: getattr(self, name) for name in self.model_fields_set - {"more"}}
        return [
            BlockDocument.model_construct(
                **own | {name: getattr(block, name) for name in block.model_fields_set}
            )
            for block in (BlockDocument(), *self.more)
        ]


KNOWN_KEYS = f"known are {', '.join(ExperimentDocument.model_fields)}"


def read_experiment(path: Path) -> ExperimentDocument:
    """Return the experiment of a TOML file.

    Raises
    ------
    SweepError
        E881 if there is no such file or it isn't TOML; E882 with all keys that are wrong.
    """
    try:
        raw = tomllib.loads(read_text(path))
    except (OSError, ValueError) as error:
        message = f"the experiment can't be read: {reason(error)}"
        raise SweepError(Diagnostic("E881", message, SourceLoc(str(path)))) from None
    try:
        document = ExperimentDocument.model_validate(raw)
    except ValidationError as error:
        problems = [
            Diagnostic(
                "E882",
                said(problem["msg"]),
                SourceLoc(str(path), _place(problem["loc"])),
                KNOWN_KEYS if problem["type"] == "extra_forbidden" else "",
            )
            for problem in error.errors()
        ]
        raise SweepError(*problems) from None
    return _complete(document, str(path))


def _complete(document: ExperimentDocument, file: str) -> ExperimentDocument:
    """Return the document; raises SweepError (E882) where a block has no rows."""
    problems: list[Diagnostic] = []
    for number, block in enumerate(document.blocks()):
        place = f"more[{number - 1}]" if number else ""
        if not block.graphs:
            hint = 'for instance graphs = ["graphs/polybench/*.json"]'
            problems.append(Diagnostic("E882", "no graphs", SourceLoc(file, place), hint))
        if not block.levels and not block.strategies:
            hint = 'for instance levels = ["opt5"] or strategies = ["hida"]'
            message = "neither levels nor strategies"
            problems.append(Diagnostic("E882", message, SourceLoc(file, place), hint))
    if problems:
        raise SweepError(*problems)
    return document


def _place(keys: tuple[int | str, ...]) -> str:
    """Return a key as it is told: ``more[0].levels[1]``."""
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in keys)
    return text.removeprefix(".")
