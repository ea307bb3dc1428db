"""A folder with the HLS C++ of a design: its source, its top function, and what was measured.

Scripts of the tool that lie beside say which function is the top one and whether sums of floats
may be reordered; reports of RTL simulation say how many cycles the design took.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from streamopt.errors import Diagnostic, FrontendError, SourceLoc
from streamopt.files import read_text
from streamopt.frontends.c.syntax.files import CFile, CFunction
from streamopt.frontends.c.syntax.parsing import parsed
from streamopt.frontends.c.syntax.usage import calls_in
from streamopt.frontends.c.text.preprocess import MAX_FILE_BYTES, preprocess
from streamopt.published.hls.pragmas import marked_pragmas, with_pragmas
from streamopt.published.hls.region import read_network
from streamopt.published.reader import Measured, PublishedDesign

SOURCES = frozenset({".cpp", ".cc", ".cxx", ".c"})
_SCRIPTS = frozenset({".tcl", ".cfg", ".ini", ".aps", ".app", ".directive"})
_PASSED_OVER = frozenset({"sim", "syn", "impl", "csim", "data", "build"})
_MOST_FILES = 2000
_TOP = re.compile(r"\bset_top\s+(\w+)|\bsyn\.top\s*=\s*(\w+)|\btop=\"(\w+)\"")
_COSIM = re.compile(r"\|\s*(?:Verilog|VHDL)\s*\|\s*Pass\s*\|((?:[^|\n]*\|)+)")


@dataclass(frozen=True, slots=True)
class _Folder:
    """The files of a design, the sources with their texts."""

    sources: Mapping[Path, str]
    scripts: tuple[str, ...]
    cosim: tuple[Path, ...]

    @property
    def reassociates(self) -> bool:
        """Return whether a script lets the tool reorder sums of floats."""
        return any("unsafe_math_optimizations" in text for text in self.scripts)

    @property
    def tops(self) -> set[str]:
        """Return the top functions that scripts name."""
        found = (m for text in self.scripts for m in _TOP.finditer(text))
        return {next(name for name in m.groups() if name) for m in found}


def read_hls_design(path: Path, top: str | None = None) -> PublishedDesign:
    """Return the design in a folder, or in a file of C++.

    Parameters
    ----------
    top
        The function that is built; unsaid the one that scripts name, or that no other calls.

    Raises
    ------
    FrontendError
        E150 if there is no source, or more than one; E131, E132 if it can't be parsed; E133 if
        the top function isn't known; E134 to E139, E145, E146 and E149 for all in it that isn't
        read.
    """
    folder = _folder(path)
    file, function = _chosen(folder, path, top)
    network = read_network(file, function, reassociates=folder.reassociates)
    cycles = [found for report in folder.cosim if (found := _cosim_cycles(report)) is not None]
    measured = Measured(rtl_cycles=cycles[0] if len(cycles) == 1 else None)
    name = path.resolve().name if path.is_dir() else path.stem
    return PublishedDesign(name, "", function.name, "", None, network, measured, {})


def _folder(path: Path) -> _Folder:
    if not path.is_dir():
        beside = _folder(path.parent) if path.parent.is_dir() else _Folder({}, (), ())
        return _Folder({path: ""}, beside.scripts, beside.cosim)
    sources: dict[Path, str] = {}
    scripts: list[str] = []
    cosim: list[Path] = []
    for file in _files(path):
        inside = {part.lower() for part in file.relative_to(path).parts[:-1]}
        if file.name.endswith("_cosim.rpt") and file.name != "_cosim.rpt":
            cosim.append(file)
        elif file.suffix in _SCRIPTS:
            scripts.append(_text(file))
        elif file.suffix in SOURCES and not inside & _PASSED_OVER:
            text = _text(file)
            if not re.search(r"\bmain\s*\(", text):
                sources[file] = text
    return _Folder(sources, tuple(scripts), tuple(cosim))


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files below a folder, in order, without hidden folders; the first of very many."""
    waiting, seen = [folder], 0
    while waiting:
        try:
            inside = sorted(waiting.pop(0).iterdir())
        except OSError:
            continue
        for each in inside:
            seen += 1
            if seen > _MOST_FILES:
                return
            if each.is_dir():
                if not each.name.startswith(".") and not each.is_symlink():
                    waiting.append(each)
            elif each.is_file():
                yield each


def _text(file: Path) -> str:
    try:
        text = read_text(file, encoding="latin-1") if file.stat().st_size < MAX_FILE_BYTES else ""
    except (OSError, ValueError):
        return ""
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.DOTALL)


def _chosen(folder: _Folder, path: Path, top: str | None) -> tuple[CFile, CFunction]:
    wanted = {top} if top else folder.tops
    sources = list(folder.sources)
    if len(sources) > 1 and wanted:
        calls = re.compile(
            rf"\b(?:{'|'.join(map(re.escape, wanted))})\s*\([^;]*?\)\s*\{{", re.DOTALL
        )
        sources = [f for f in sources if calls.search(folder.sources[f])] or sources
    if len(sources) > 1:
        dataflow = re.compile(r"pragma\s+HLS\s+dataflow", re.IGNORECASE)
        sources = [f for f in sources if dataflow.search(folder.sources[f])] or sources
    if len(sources) != 1:
        names = ", ".join(str(file.relative_to(path)) for file in sources[:5])
        message = f"which of these is the design: {names}?" if sources else "there is no HLS C++"
        hint = "name the file with the top function" if sources else "give the folder of the design"
        raise FrontendError(Diagnostic("E150", message, SourceLoc(str(path)), hint))
    text = read_text(sources[0], encoding="latin-1")
    source = preprocess(sources[0], {}, [], marked_pragmas(text))
    file = parsed(replace(source, text=with_pragmas(source.text, source.places)))
    return file, _top(file, sources[0], wanted)


def _top(file: CFile, source: Path, wanted: set[str]) -> CFunction:
    own = {n: f for n, f in file.functions.items() if f.loc.file == str(source)}
    named = [own[name] for name in sorted(wanted & own.keys())]
    if len(named) == 1:
        return named[0]
    called = {name for function in own.values() for name, _ in calls_in(function)}
    roots = [f for name, f in own.items() if name not in called]
    if len(roots) == 1 and (not wanted or not named):
        return roots[0]
    names = ", ".join(f.name for f in roots[:12])
    message = (
        f"several functions can be the top one: {names}" if roots else "no function is the top"
    )
    hint = f"name one: {source}:{roots[0].name}" if roots else "define one"
    raise FrontendError(Diagnostic("E133", message, SourceLoc(str(source)), hint))


def _cosim_cycles(report: Path) -> int | None:
    """Return the latency that RTL simulation took at most; None if it didn't pass."""
    for found in _COSIM.finditer(_text(report)):
        numbers = [int(cell) for cell in found[1].replace("|", " ").split() if cell.isdecimal()]
        if len(numbers) >= 3:
            return numbers[2]
    return None
