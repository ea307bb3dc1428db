"""Whether a network can be simulated; what can't is told in the user's names."""

from collections.abc import Collection, Iterator, Mapping

from streamopt.errors import Diagnostic, SimulationError
from streamopt.ir.expression import is_affine_condition
from streamopt.ir.network import AccessMode, Fifo, Network, Pipeline, PipelineTiming


def check_network(
    network: Network, timings: Mapping[str, PipelineTiming], depths: Mapping[str, int], frames: int
) -> None:
    """Raise what keeps a network from being simulated.

    Raises
    ------
    SimulationError
        A pipeline without a timing or with one below 1 (E801), fewer than one frame (E802), a
        depth below 1 or of a FIFO that isn't there (E803), a FIFO that isn't written by exactly
        one process and read by exactly one (E804), a FIFO access under a guard that isn't affine
        (E805), a process without a pipeline (E808), a FIFO access of pipelines that take turns
        (E809).
    """
    problems = [*_timings(network, timings), *_depths(network, depths)]
    if frames < 1:
        problems.append(
            Diagnostic("E802", f"{frames} frames can't be simulated", hint="ask for 1 or more")
        )
    for fifo in network.fifos:
        problems.extend(_ends(network, fifo))
    fifos = {fifo.name for fifo in network.fifos}
    problems.extend(
        Diagnostic(
            "E805",
            f"{pipeline.name} {port.mode}s {port.target} where data decide",
            pipeline.loc,
            "access FIFOs under conditions on the iterators alone",
        )
        for pipeline in network.pipelines
        for port in pipeline.ports
        if port.target in fifos and port.guard and not is_affine_condition(port.guard)
    )
    problems.extend(
        Diagnostic("E808", f"process {process.name} has no pipeline", hint="leave it out")
        for process in network.processes
        if not process.pipelines
    )
    problems.extend(_fifos_in_turn(network, fifos))
    if problems:
        raise SimulationError(*problems)


def _fifos_in_turn(network: Network, fifos: Collection[str]) -> Iterator[Diagnostic]:
    for process in network.processes:
        taking = {name for turns in process.turns for name in turns.pipelines}
        for pipeline in process.pipelines:
            if pipeline.name in taking:
                for name in sorted({port.target for port in pipeline.ports} & {*fifos}):
                    yield Diagnostic(
                        "E809",
                        f"{pipeline.name} takes turns with other pipelines, and accesses {name}",
                        pipeline.loc,
                        "let a pipeline of its own move its data into and out of memory",
                    )


def _timings(network: Network, timings: Mapping[str, PipelineTiming]) -> Iterator[Diagnostic]:
    for pipeline in network.pipelines:
        timing = timings.get(pipeline.name)
        if timing is None:
            yield Diagnostic(
                "E801",
                f"no initiation interval and depth are given for {pipeline.name}",
                pipeline.loc,
                f"add {pipeline.name} to the timings",
            )
        elif timing.ii < 1 or timing.depth_cycles < 1:
            yield Diagnostic(
                "E801",
                f"{pipeline.name} has initiation interval {timing.ii} and depth "
                f"{timing.depth_cycles}",
                pipeline.loc,
                "both are at least 1 cycle",
            )


def _depths(network: Network, depths: Mapping[str, int]) -> Iterator[Diagnostic]:
    known = {fifo.name: fifo.depth_elems for fifo in network.fifos}
    for name in depths.keys() - known.keys():
        names = ", ".join(known) or "none"
        yield Diagnostic(
            "E803", f"a depth is given for {name}, which is no FIFO", hint=f"FIFOs are: {names}"
        )
    for name, depth_elems in {**known, **depths}.items():
        if depth_elems < 1:
            yield Diagnostic(
                "E803", f"FIFO {name} has depth {depth_elems}", hint="a FIFO holds 1 or more"
            )


def _ends(network: Network, fifo: Fifo) -> Iterator[Diagnostic]:
    for mode in AccessMode:
        names = [
            process.name
            for process in network.processes
            if any(
                port.target == fifo.name and port.mode is mode
                for pipeline in process.pipelines
                for port in pipeline.ports
            )
        ]
        if len(names) != 1:
            doing = "writes" if mode is AccessMode.WRITE else "reads"
            who = " and ".join(names) if names else "no process"
            yield Diagnostic(
                "E804",
                f"{who} {doing if len(names) < 2 else mode.value} FIFO {fifo.name}",
                hint="a FIFO joins exactly one producer with one consumer",
            )


def check_rate(
    pipeline: Pipeline,
    timing: PipelineTiming,
    mode: AccessMode,
    stream: tuple[str, tuple[int, ...]],
    accesses: int,
) -> None:
    """Raise E807 if an iteration accesses a stream more often than it has cycles."""
    if accesses <= timing.ii:
        return
    name = stream[0] + "".join(f"[{at}]" for at in stream[1])
    raise SimulationError(
        Diagnostic(
            "E807",
            f"{pipeline.name} {mode}s {name} {accesses} times in an iteration, and starts one "
            f"every {timing.ii} cycles",
            pipeline.loc,
            f"give it an initiation interval of at least {accesses}, or {stream[0]} more streams",
        )
    )
