"""Reports of synthesis in the formats of Vitis HLS 2022.1 to 2025.2, written for tests."""

from __future__ import annotations

from dataclasses import dataclass, field

RELEASES = ("2022.1", "2022.2", "2023.1", "2023.2", "2024.1", "2024.2", "2025.1", "2025.2")


@dataclass(frozen=True)
class Loop:
    """A loop; one without an II isn't pipelined."""

    name: str
    trips: str
    ii: int | None = 1
    depth: int = 9
    loops: tuple[Loop, ...] = ()

    @property
    def latency(self) -> str:
        return str(int(self.trips) * (self.ii or self.depth)) if self.trips.isdigit() else "undef"


@dataclass(frozen=True)
class Function:
    """A function with the loops that stayed in it."""

    name: str
    loops: tuple[Loop, ...] = ()
    dsps: int = 0
    bram18: int = 0
    uram: int = 0
    luts: int = 100
    ffs: int = 200
    latency: str = "1000"
    clock: str = "2.431"
    kind: str = "no"
    inside: tuple[str, ...] = field(default=())


def xml_loop(loop: Loop, *, whole: bool) -> str:
    """A loop as an element of its own name; only ``csynth.xml`` repeats the name inside."""
    trips = f"<TripCount>{loop.trips}</TripCount>"
    if "~" in loop.trips:
        low, high = (part.strip() for part in loop.trips.split("~"))
        trips = f"<TripCount><range><min>{low}</min><max>{high}</max></range></TripCount>"
    times = f"<PipelineII>{loop.ii}</PipelineII><PipelineDepth>{loop.depth}</PipelineDepth>"
    if loop.ii is None:
        times = f"<IterationLatency>{loop.depth}</IterationLatency>"
    name = f"<Name>{loop.name}</Name>" if whole else "<Slack>2.43</Slack>"
    inner = "".join(xml_loop(each, whole=whole) for each in loop.loops)
    return (
        f"<{loop.name}>{name}{trips}<Latency>{loop.latency}</Latency>"
        f"<AbsoluteTimeLatency>9 us</AbsoluteTimeLatency>{times}<InstanceList/>{inner}"
        f"</{loop.name}>"
    )


def _resources(function: Function, *, old: bool) -> str:
    dsp = "DSP48E" if old else "DSP"
    return (
        f"<Resources><BRAM_18K>{function.bram18}</BRAM_18K><AVAIL_BRAM>4032</AVAIL_BRAM>"
        f"<{dsp}>{function.dsps}</{dsp}><FF>{function.ffs}</FF><LUT>{function.luts}</LUT>"
        f"<URAM>{function.uram}</URAM><UTIL_URAM>~0</UTIL_URAM></Resources>"
    )


def _estimates(function: Function, *, whole: bool, old: bool) -> str:
    loops = "".join(xml_loop(loop, whole=whole) for loop in function.loops)
    return (
        f"<PerformanceEstimates><PipelineType>{function.kind}</PipelineType>"
        f"<SummaryOfTimingAnalysis><unit>ns</unit>"
        f"<EstimatedClockPeriod>{function.clock}</EstimatedClockPeriod></SummaryOfTimingAnalysis>"
        f"<SummaryOfOverallLatency><Best-caseLatency>1</Best-caseLatency>"
        f"<Worst-caseLatency>{function.latency}</Worst-caseLatency></SummaryOfOverallLatency>"
        f"<SummaryOfLoopLatency>{loops}</SummaryOfLoopLatency></PerformanceEstimates>"
        f"<AreaEstimates>{_resources(function, old=old)}</AreaEstimates>"
    )


def xml_report(
    top: Function,
    functions: tuple[Function, ...] = (),
    *,
    release: str = "2023.2",
    part: str = "xcu280-fsvh2892-2L-e",
    clock: str = "3.33",
    old: bool = False,
) -> str:
    """``csynth.xml`` of a design; of one function if there are no others."""
    modules = "".join(
        f"<Module><Name>{each.name}</Name><Loops/>{_estimates(each, whole=True, old=old)}"
        f'<BindNodes><BindNode BINDTYPE="op" OPTYPE="fadd" VARIABLE="t"/></BindNodes></Module>'
        for each in functions
    )
    rest = f"<ModuleInformation>{modules}</ModuleInformation>" if functions else ""
    return (
        f"<profile>\n<ReportVersion><Version>{release}</Version></ReportVersion>\n"
        f"<UserAssignments><unit>ns</unit><Part>{part}</Part>"
        f"<TopModelName>{top.name}</TopModelName>"
        f"<TargetClockPeriod>{clock}</TargetClockPeriod>"
        f"<ClockUncertainty>0.90</ClockUncertainty></UserAssignments>\n"
        f"{_estimates(top, whole=bool(functions), old=old)}"
        f"<InterfaceSummary><RtlPorts><name>ap_clk</name></RtlPorts></InterfaceSummary>"
        f"{rest}</profile>\n"
    )


def boxed(header: list[list[str]], rows: list[list[str]], *, indent: str = "    ") -> str:
    """A table as the tool draws it, with a line behind the header and at the end."""
    columns = zip(*header, *rows, strict=True)
    widths = [max(map(len, column)) + 1 for column in columns]
    line = indent + "+" + "+".join("-" * width for width in widths) + "+"

    def drawn(row: list[str]) -> str:
        cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        return f"{indent}|{'|'.join(cells)}|"

    return "\n".join([line, *map(drawn, header), line, *map(drawn, rows), line])


def summary_report(top: Function, functions: tuple[Function, ...], release: str = "2023.2") -> str:
    """``csynth.rpt``: one table of all modules and loops."""
    rows: list[list[str]] = []

    def amount(number: int) -> str:
        return f"{number} (~0%)" if number else "-"

    def add_loop(loop: Loop, indent: int) -> None:
        interval, pipelined = ("-", "no") if loop.ii is None else (str(loop.ii), "yes")
        name = " " * indent + "o " + loop.name
        times = ["-", "2.43", loop.latency, "9.0e+03", str(loop.depth), interval]
        rows.append([name, *times, loop.trips, pipelined, "-", "-", "-", "-", "-"])
        for inner in loop.loops:
            add_loop(inner, indent + 1)

    def add(function: Function, indent: int) -> None:
        kind = "*" if function.kind == "dataflow" else ""
        used = (function.bram18, function.dsps, function.ffs, function.luts, function.uram)
        name = " " * indent + "+ " + function.name + kind
        times = ["-", "0.00", function.latency, "9.0e+03", "-", "9", "-", function.kind]
        rows.append([name, *times, *map(amount, used)])
        for inner in functions:
            if inner.name in function.inside:
                add(inner, indent + 1)
        for loop in function.loops:
            add_loop(loop, indent + 1)

    add(top, 0)
    first = ["Modules", "Issue", "", "Latency", "Latency", "Iteration", "", "Trip", ""]
    second = ["& Loops", "Type", "Slack", "(cycles)", "(ns)", "Latency", "Interval", "Count"]
    blank, kinds = [""] * 5, ["Pipelined", "BRAM", "DSP", "FF", "LUT", "URAM"]
    table = boxed([[*first, *blank], [*second, *kinds]], rows)
    rule = "=" * 64
    return (
        f"\n\n{rule}\n== Synthesis Summary Report of '{top.name}'\n{rule}\n"
        f"+ General Information: \n    * Date:           Thu Oct 16 02:11:00 2025\n"
        f"    * Version:        {release} (Build 5238294 on Nov  8 2024)\n"
        f"    * Solution:       solution (Vivado IP Flow Target)\n"
        f"    * Target device:  xcu280-fsvh2892-2L-e\n    \n\n"
        f"+ Performance & Resource Estimates: \n    \n"
        f"    PS: '+' for module; 'o' for loop; '*' for dataflow\n{table}\n\n\n"
        f"{rule}\n== HW Interfaces\n{rule}\n"
    )
