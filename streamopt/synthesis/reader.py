"""Reports of synthesis from files: one of them, or a folder with those of all functions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError, reason
from streamopt.files import read_text
from streamopt.synthesis.report import SynthesisReport
from streamopt.synthesis.text_report import read_text_report
from streamopt.synthesis.xml_report import read_xml

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

__all__ = ["find_reports", "read_reports"]

WHOLE = ("csynth.xml", "csynth.rpt")
"""Names of a report on all functions, the fuller one first."""
PARTS = ("*_csynth.xml", "*_csynth.rpt")
FOLDERS = ("syn/report", "hls/syn/report", "*/syn/report", "*/hls/syn/report", "*/*/syn/report")
"""Places of reports: in a solution, in a component of 2023.2 or later, in a project around them."""


def find_reports(folder: Path) -> Path:
    """Return the folder of reports in a project that was synthesised.

    Raises
    ------
    SynthesisReportError
        E864 if there is none, or more than one.
    """
    found = sorted({path for pattern in FOLDERS for path in folder.glob(pattern) if path.is_dir()})
    if len(found) == 1:
        return found[0]
    message = "there are no reports of synthesis"
    hint = "run synthesis there (run_hls.tcl), or give its reports: --report .../syn/report"
    if found:
        message = f"there are reports of {len(found)} syntheses, {found[0]} and others"
        hint = "choose one: --report"
    raise SynthesisReportError(Diagnostic("E864", message, SourceLoc(str(folder)), hint))


def read_reports(path: Path, top: str) -> SynthesisReport:
    """Return the report in a file, or in a folder that holds reports, or in a solution.

    Parameters
    ----------
    top
        The function whose report tells the design's own resources, where a folder has no
        report on the whole.

    Raises
    ------
    SynthesisReportError
        E861 to E863 if a file is no report, E864 if a folder has none.
    """
    if not path.is_dir():
        return _read(path)
    for name in WHOLE:
        if (path / name).is_file():
            return _read(path / name)
    for pattern in PARTS:
        files = sorted(path.glob(pattern))
        if files:
            return _merged([_read(file) for file in files], top)
    return read_reports(find_reports(path), top)


def _read(path: Path) -> SynthesisReport:
    try:
        text = read_text(path, encoding="utf-8-sig")
    except (OSError, ValueError) as error:
        message = f"the report can't be read: {reason(error)}"
        raise SynthesisReportError(Diagnostic("E861", message, SourceLoc(str(path)))) from None
    if not text.strip():
        message = "the report is empty"
        raise SynthesisReportError(Diagnostic("E861", message, SourceLoc(str(path))))
    read = read_xml if text.lstrip().startswith("<") else read_text_report
    return read(text, str(path))


def _merged(reports: Sequence[SynthesisReport], top: str) -> SynthesisReport:
    """Return one report of those on single functions."""
    first = next((report for report in reports if report.top == top), reports[0])
    modules = {module.name: module for report in reports for module in report.modules}
    own = first.top if first.top == top else ""
    return SynthesisReport(own, tuple(modules.values()), first.release, first.part, first.target_ns)
