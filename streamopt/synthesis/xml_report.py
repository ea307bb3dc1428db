"""``csynth.xml`` of a design, and ``<function>_csynth.xml`` of one function.

The first has a ``Module`` for each function, the second stands for one. Vitis HLS 2022.1 to 2025.2
write the same members; older releases say ``DSP48E``. A document type is refused, so that nothing
in a file can name other files or grow.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any
from xml.etree.ElementTree import ParseError, TreeBuilder, XMLParser

from streamopt.errors import Diagnostic, SourceLoc, SynthesisReportError
from streamopt.synthesis.numbers import count, nanoseconds, release
from streamopt.synthesis.report import ReportedLoop, ReportedModule, SynthesisReport

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

DEEPEST = 32
LARGE = frozenset({"BindNodes", "InterfaceSummary", "RTLDesignHierarchy", "InstanceList"})
"""Members that nothing here reads: a design has a ``BindNode`` for every operator."""
_DECLARED = re.compile(r"<!(?!--|\[CDATA\[)")


def read_xml(text: str, file: str) -> SynthesisReport:
    """Return the report in an XML text.

    Raises
    ------
    SynthesisReportError
        E861 if it is no XML or is cut off, E862 if it is no report of synthesis.
    """
    root = _root(text, file)
    modules = [*_modules(root)]
    top = _text(root, "UserAssignments/TopModelName")
    if root.tag != "profile" or not top:
        message = f"this is no report of synthesis, but XML of another kind: <{root.tag[:40]}>"
        hint = "give csynth.xml or <function>_csynth.xml of solution/syn/report"
        raise SynthesisReportError(Diagnostic("E862", message, SourceLoc(file), hint))
    if all(module.name != top for module in modules):
        modules.append(_module(root, top))
    return SynthesisReport(
        top,
        tuple(modules),
        release(_text(root, "ReportVersion/Version")),
        _text(root, "UserAssignments/Part"),
        nanoseconds(_text(root, "UserAssignments/TargetClockPeriod")),
    )


def _root(text: str, file: str) -> Element:
    if _DECLARED.search(text):
        message = "the file declares a document type, which no report does"
        raise SynthesisReportError(Diagnostic("E861", message, SourceLoc(file)))
    parser = XMLParser(target=_Kept())
    try:
        parser.feed(text)
        return parser.close()
    except (ParseError, ValueError) as error:
        message = f"the report is no XML, or was cut off: {error}"
        hint = "let csynth_design end, and give the file as it wrote it"
        raise SynthesisReportError(Diagnostic("E861", message, SourceLoc(file), hint)) from None


class _Kept(TreeBuilder):
    """Builds the tree without what nothing here reads."""

    def __init__(self) -> None:
        super().__init__()
        self.depth = 0
        self.left_out = 0
        """Depth of the member that is left out; 0 outside."""

    def start(self, tag: Any, attrs: dict[Any, Any], /) -> Any:
        self.depth += 1
        if self.depth > DEEPEST:
            raise ValueError("its members are nested too deeply")
        if tag in LARGE and not self.left_out:
            self.left_out = self.depth
        return None if self.left_out else super().start(tag, attrs)

    def end(self, tag: Any, /) -> Any:
        found = None if self.left_out else super().end(tag)
        if self.left_out == self.depth:
            self.left_out = 0
        self.depth -= 1
        return found

    def data(self, data: Any, /) -> None:
        if not self.left_out:
            super().data(data)


def _modules(root: Element) -> Iterator[ReportedModule]:
    for element in root.iterfind("ModuleInformation/Module"):
        name = _text(element, "Name")
        if name:
            yield _module(element, name)


def _module(element: Element, name: str) -> ReportedModule:
    used = "AreaEstimates/Resources/"
    times = element.find("PerformanceEstimates/SummaryOfLoopLatency")
    latency = _text(element, "PerformanceEstimates/SummaryOfOverallLatency/Worst-caseLatency")
    clock = _text(element, "PerformanceEstimates/SummaryOfTimingAnalysis/EstimatedClockPeriod")
    dsps = _text(element, f"{used}DSP") or _text(element, f"{used}DSP48E")
    return ReportedModule(
        name,
        count(latency),
        nanoseconds(clock),
        count(dsps),
        count(_text(element, f"{used}BRAM_18K")),
        count(_text(element, f"{used}URAM")),
        count(_text(element, f"{used}LUT")),
        count(_text(element, f"{used}FF")),
        () if times is None else tuple(_loops(times)),
    )


def _loops(parent: Element) -> Iterator[ReportedLoop]:
    """Yield the loops in an element: those of its members that have a trip count or a latency."""
    for element in parent:
        if element.find("TripCount") is None and element.find("Latency") is None:
            continue
        depth = _text(element, "PipelineDepth") or _text(element, "IterationLatency")
        yield ReportedLoop(
            _text(element, "Name") or element.tag,
            _range(element, "TripCount"),
            _range(element, "Latency"),
            count(_text(element, "PipelineII")),
            count(depth),
            tuple(_loops(element)),
        )


def _range(element: Element, name: str) -> int | None:
    """Return a number, or the most of a range, which has members of its own."""
    return count(_text(element, f"{name}/range/max") or _text(element, name))


def _text(element: Element, path: str) -> str:
    return (element.findtext(path) or "").strip()
