"""A report of synthesis from its file, or from the folder that has it."""

from pathlib import Path

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError, reason
from streamopt.files import read_text
from streamopt.synthesis.report import SynthesisReport
from streamopt.synthesis.text_report import read_text_report
from streamopt.synthesis.xml_report import read_xml

WHOLE = ("csynth.xml", "csynth.rpt")
"""Names of a report on all functions, the fuller one first."""
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


def read_reports(path: Path) -> SynthesisReport:
    """Return the report in a file, in a folder ``syn/report``, or in a solution.

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
    return read_reports(find_reports(path))


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
