"""The token-level simulator: exact cycles of a network of pipelines and FIFOs.

It knows nothing of the performance model, which it is there to contradict.

Rules, with their evidence: Vitis HLS 2023.2 co-simulation of 61 published Stream-HLS designs
(PolyBench and 7mm chains, opt1 to opt5), whose latencies they give with a mean error of 0.011 %
(at most 6 cycles) when the achieved initiation intervals and depths are given.

- A process starts at cycle 0, or as its buffers allow, and runs its pipelines one after another.
- A pipeline is one flattened loop; iteration i enters stage 0 at local clock i * II, in the cycle
  of the start. In which stages FIFOs are accessed is told in `streamopt.sim.accesses`. It ends in
  the cycle after the last stage of the last iteration: ``II * (N - 1) + D`` cycles without waits.
- What waits for an end (the next pipeline, the next frame, the consumer of a ping-pong buffer)
  starts one cycle after it. With this cycle and the one in which a function finishes, Vitis
  reports ``II * (N - 1) + D - 1 + 2`` for a process.
- A token can be read in the cycle after its write, a slot written in the cycle after its read.
- Stalling pipelines, Vitis' default: where any access of a local clock isn't possible, none
  happens and all stages wait, so that the last iterations of a burst stay inside until the next
  burst. With flushable ones an empty input only holds back the iterations that haven't read.
- Ping-pong buffers: a consumer's frame f waits for the end of its producer's frame f, the
  producer's frame f + 2 for the end of the consumer's frame f. FIFOs keep tokens across frames.
- The latency of a design is the end of its last process.
"""

from streamopt.sim.critical_path import PathCause, Segment
from streamopt.sim.deadlock import Deadlock, DeadlockError, Wait
from streamopt.sim.simulate import simulate
from streamopt.sim.trace import FifoTrace, PipelineTrace, ProcessTrace, Trace
from streamopt.sim.waits import SampledWait, WaitKind

__all__ = [
    "Deadlock",
    "DeadlockError",
    "FifoTrace",
    "PathCause",
    "PipelineTrace",
    "ProcessTrace",
    "SampledWait",
    "Segment",
    "Trace",
    "Wait",
    "WaitKind",
    "simulate",
]
