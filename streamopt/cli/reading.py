"""How a verb reads its program: a graph.json, or a source with the options of ``graph``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.cli import arguments as a
from streamopt.cli.assignments import integers, listed, macros, shapes
from streamopt.errors import Diagnostic, FrontendError

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.pipeline.reading import WrittenOptions

__all__ = ["Reading", "stem"]


@dataclass(frozen=True, slots=True)
class Reading:
    """The options that say how a source is read."""

    name: a.ProgramName = None
    top: a.Top = None
    define: a.Define = None
    include: a.Include = None
    param: a.Param = None
    live_out: a.LiveOut = None
    inputs: a.Inputs = None
    shape: a.Shape = None

    def load(self, source: str, *, takes_data: bool = False) -> Program:
        """Return the program of a file.

        Parameters
        ----------
        takes_data
            Whether a project may be written, which is tested with the inputs that were asked for.

        Raises
        ------
        StreamoptError
            With all problems of the source, or of these options.
        """
        from streamopt import pipeline

        if self.test_inputs and not takes_data:
            message = f"--inputs {','.join(self.test_inputs)} says how a project is tested"
            hint = "this verb writes none: leave it out, or give shapes such as 1x3x32x32"
            raise FrontendError(Diagnostic("E117", message, hint=hint))
        return pipeline.load(
            source,
            name=self.name,
            inputs=",".join(filter(_is_shape, listed(self.inputs))),
            shapes=shapes(self.shape or ()),
            **self.written,
        )

    @property
    def test_inputs(self) -> list[str]:
        """Return how a project's inputs are drawn, or the files that have them."""
        return [word for word in listed(self.inputs) if not _is_shape(word)]

    @property
    def written(self) -> WrittenOptions:
        """Return the options of a source whose loops stay as they are written."""
        return {
            "top": self.top,
            "defines": macros(self.define or ()),
            "include": self.include or (),
            "parameters": integers(listed(self.param)),
            "outputs": listed(self.live_out),
        }


def _is_shape(word: str) -> bool:
    """Return whether a word is the shape of a PyTorch module's argument: 1x3x32x32, 1x10:int64."""
    return re.fullmatch(r"[0-9]+(x[0-9]+)*(:[a-z]\w*)?", word, re.ASCII) is not None


def stem(source: str, program: Program | None = None) -> str:
    """Return what files that are made of a source are called: as it is, without its ending.

    Of a module in a file it is the program's name, since the file may have several.
    """
    if program is not None and re.search(r"\.py:\w+$", source):
        return program.name
    return Path(source).absolute().stem
