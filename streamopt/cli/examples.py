"""Examples at the end of each verb's help."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["EXAMPLES"]

EXAMPLES: Mapping[str, str] = {
    "graph": """\
streamopt graph kernel.c --top gemm --param n=64
streamopt graph net.py:Net --inputs 1x3x32x32 -o net.json
streamopt graph model.onnx --shape x=1x3x224x224""",
    "solve": """\
streamopt solve kernel.c --dsp 2560 -o build/kernel
streamopt solve kernel.c --level opt6 --fit slr --time-limit 60
streamopt solve graph.json --objective dsps --latency-target 100000""",
    "pareto": """\
streamopt pareto graph.json --csv front.csv --plot front.svg
streamopt pareto graph.json --schedules points --time-limit 60""",
    "design": """\
streamopt design graph.json --strategy hida -o build/by_hida""",
    "compare": """\
streamopt compare graph.json --levels opt1,opt5,opt6
streamopt compare kernel.c --strategies all --dsp 1280,2560 --csv rows.csv
streamopt compare graph.json --levels opt5 --solver search,highs --format markdown""",
    "sweep": """\
streamopt sweep experiment.toml --jobs 2
streamopt sweep experiment.toml --redo failed,stale --only gemm""",
    "simulate": """\
streamopt simulate graph.json --schedule graph.schedule.json --frames 3
streamopt simulate kernel.c --schedule kernel.schedule.json --gantt run.svg""",
    "report": """\
streamopt report build/kernel
streamopt report graph.json --schedule graph.schedule.json --figures figures
streamopt report rows.csv""",
    "emit": """\
streamopt emit kernel.c --schedule kernel.schedule.json -o build/kernel
streamopt emit graph.json --schedule graph.schedule.json --backend tapa -o build/tapa""",
    "verify": """\
streamopt verify build/kernel
streamopt verify build/kernel --seed 7 --traces""",
}
