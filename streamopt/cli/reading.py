"""How a verb reads its program and its options of the form ``NAME=VALUE``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from streamopt.cli import arguments as a
from streamopt.errors import Diagnostic, FrontendError, ReportError
from streamopt.ir.graph import Graph
from streamopt.ir.ports import PortKind, PortPlan
from streamopt.ir.program import Program
from streamopt.target.device import Target

if TYPE_CHECKING:
    from streamopt.pipeline import SourceOptions


@dataclass(frozen=True, slots=True)
class Reading:
    """The options that say how a source is read."""

    name: a.ProgramName = None
    top: a.Top = None
    define: a.Define = None
    include: a.Include = None
    param: a.Param = None
    bound: a.Bound = None
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
        return pipeline.load(source, name=self.name, options=self.options())

    @property
    def test_inputs(self) -> list[str]:
        """Return how a project's inputs are drawn, or the files that have them."""
        return [word for word in listed(self.inputs) if not _is_shape(word)]

    def options(self) -> SourceOptions:
        """Return the options as Python takes them."""
        from streamopt.pipeline import SourceOptions

        return SourceOptions(
            top=self.top,
            define=macros(self.define or ()),
            include=self.include or (),
            param=integers(listed(self.param)),
            bound=integers(listed(self.bound)),
            live_out=listed(self.live_out),
            inputs=",".join(filter(_is_shape, listed(self.inputs))),
            shape=shapes(self.shape or ()),
        )


def design_places(source: str, schedule: Path | None) -> tuple[str, Path]:
    """Return the graph and the schedule that are meant: a project has both.

    Raises
    ------
    ReportError
        E874 for a graph without a schedule, or a path that is none.
    """
    if Path(source).is_dir():
        project = Path(source)
        return str(project / "graph.json"), schedule or project / "schedule.json"
    if schedule is None:
        is_there = Path(source).exists()
        message = f"{source} is a graph without a schedule" if is_there else f"there is no {source}"
        hint = "give --schedule schedule.json, or the directory of streamopt run or of solve -o"
        raise ReportError(Diagnostic("E874", message, hint=hint))
    return source, schedule


def _is_shape(word: str) -> bool:
    """Return whether a word is the shape of a PyTorch module's argument: 1x3x32x32, 1x10:int64."""
    return re.fullmatch(r"[0-9]+(x[0-9]+)*(:[a-z]\w*)?", word, re.ASCII) is not None


def stem(source: str, program: Program | None = None) -> str:
    """Return the stem of files that are made of a source: its name without the ending.

    Of a module in a file it is the program's name, since the file may have several.
    """
    if program is not None and re.search(r"\.py:\w+$", source):
        return program.name
    return Path(source).absolute().stem


def listed(texts: Sequence[str] | None) -> list[str]:
    """Return the words of an option that is given several times, or once with commas.

    Examples
    --------
    >>> listed(["opt1,opt5", "opt6"]), listed(["A=m_axi:HBM[0,1],B=axis"])
    (['opt1', 'opt5', 'opt6'], ['A=m_axi:HBM[0,1]', 'B=axis'])
    """
    parts = [part for text in texts or () for part in re.split(r",(?![^\[]*\])", text)]
    return [part.strip() for part in parts if part.strip()]


def macros(texts: Sequence[str]) -> dict[str, str]:
    """Return macros by name; one without a value is 1, as compilers have it."""
    found: dict[str, str] = {}
    for text in texts:
        name, sign, value = text.partition("=")
        if not name.isidentifier():
            raise _refused("-D", text, "-D NAME or -D NAME=VALUE")
        found[name] = value if sign else "1"
    return found


def integers(texts: Sequence[str]) -> dict[str, int]:
    """Return whole numbers by name."""
    found: dict[str, int] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name.isidentifier() or not re.fullmatch(r"-?[0-9]{1,18}", value, re.ASCII):
            raise _refused("--param", text, "--param NAME=10")
        found[name] = int(value)
    return found


def ports(texts: Sequence[str]) -> dict[str, str]:
    """Return kinds of ports by array."""
    found: dict[str, str] = {}
    for text in texts:
        name, _, value = text.partition("=")
        if not name or not value:
            raise _refused("--port", text, "--port A=m_axi:HBM[3]")
        found[name] = value
    return found


def shapes(texts: Sequence[str]) -> dict[str, tuple[int, ...]]:
    """Return extents by name."""
    found: dict[str, tuple[int, ...]] = {}
    for text in (part for given in texts for part in re.split(r",(?=[^,=]*=)", given)):
        name, _, value = text.rpartition("=")
        if not name or not re.fullmatch(r"[0-9]{1,18}(?:[x,][0-9]{1,18})*", value, re.ASCII):
            raise _refused("--shape", text, "--shape x=1x3x224x224")
        found[name] = tuple(map(int, re.split("[x,]", value)))
    return found


def _refused(option: str, text: str, form: str) -> FrontendError:
    message = f"{option} {text} doesn't say what has which value"
    return FrontendError(Diagnostic("E117", message, hint=f"write {form}"))


def asked_ports(graph: Graph, texts: Sequence[str] | None, on: Target) -> tuple[PortPlan, ...]:
    """Return the ports that ``--port`` asks for, if any."""
    from streamopt import pipeline

    if not texts:
        return ()
    interface, each = asked_interface(texts)
    return pipeline.plan_ports(graph, interface, ports=each, device=on)


def asked_interface(texts: Sequence[str]) -> tuple[str, dict[str, str]]:
    """Return the kind of all ports, and of arrays with another one; empty if none is asked for."""
    if not texts:
        return "", {}
    interface = [text for text in texts if "=" not in text] or [PortKind.MEMORY]
    return str(interface[-1]), ports([text for text in texts if "=" in text])
