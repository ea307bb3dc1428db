"""Whole networks with random weights: read, held against PyTorch, solved, and verified.

Run ``python results/reading/networks.py [NAME...]``. Each network is read in a process of its own,
its program is interpreted on PyTorch's inputs, solved at opt5, written, compiled and verified.
Rows go to networks.csv as they come; the others of that file stay.
"""

from __future__ import annotations

import csv
import json
import subprocess
import sys
import warnings
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from time import process_time
from typing import Any

HERE = Path(__file__).parent
ROWS = HERE / "networks.csv"
LEVEL, DSPS, SECONDS = "opt5", 400, 20.0
LONGEST_S = 1200


@dataclass(frozen=True, slots=True)
class Network:
    """A class in a module beside this file, and the shapes of its inputs."""

    module: str
    name: str
    inputs: str


IMAGE = "1x3x16x16"
NETWORKS = (
    Network("convolutional", "AlexNet", "1x3x32x32"),
    Network("convolutional", "Vgg", IMAGE),
    Network("convolutional", "ResNet18", IMAGE),
    Network("convolutional", "MobileNetV1", IMAGE),
    Network("convolutional", "MobileNetV2", IMAGE),
    Network("convolutional", "EfficientNet", IMAGE),
    Network("convolutional", "SqueezeNet", "1x3x32x32"),
    Network("convolutional", "DenseNet", IMAGE),
    Network("convolutional", "ShuffleNetV2", IMAGE),
    Network("convolutional", "GoogLeNet", IMAGE),
    Network("generating", "UNet", "1x1x16x16"),
    Network("generating", "Dcgan", "1x12x1x1"),
    Network("generating", "DiffusionUNet", "1x2x8x8,1x8"),
    Network("generating", "SuperResolution", "1x1x8x8"),
    Network("sequences", "VisionTransformer", "1x3x8x8"),
    Network("sequences", "Swin", "1x3x8x8"),
    Network("sequences", "Bert", "1x6x8"),
    Network("sequences", "Gpt2", "1x6x8"),
    Network("sequences", "Llama", "1x6x8"),
    Network("sequences", "MlpMixer", "1x3x8x8"),
    Network("sequences", "Lstm", "1x5x6"),
    Network("sequences", "Gru", "1x5x6"),
    Network("sequences", "PointNet", "1x3x16"),
)


def measured(network: Network) -> dict[str, str]:
    """Return the row of a network, as far as it comes."""
    import streamopt as so

    row = {"network": network.name, "inputs": network.inputs, "result": "refused"}
    try:
        module, inputs = _made(network)
        started = process_time()
        program = so.load((module, inputs), name=network.name.lower())
        row |= {"read_seconds": f"{process_time() - started:.1f}", "result": "read"}
        row["nodes"] = str(len(so.dataflow(program).nodes))
        row["error"] = f"{_error(program, module, inputs):.1e}"
        solution = so.solve(program, level=LEVEL, dsp=DSPS, time_limit=SECONDS)
        row |= {"cycles": str(solution.simulated_cycles), "result": "solved"}
        with TemporaryDirectory() as folder:
            so.write(program, solution.schedule, Path(folder) / "made")
            verdict = so.verify(Path(folder) / "made")
        row["result"] = "verified" if verdict.passed else "differs"
        own = [o.max_error for o in verdict.outputs if o.name.endswith("own run") and not o.wrong]
        row["design_error"] = f"{max(own):.1e}" if own else ""
        if "UNCHECKED" in str(verdict) and "FAIL" not in str(verdict):
            row["result"] = "unchecked"
        row["remark"] = "" if verdict.passed else _short(str(verdict))
    except so.StreamoptError as error:
        row["remark"] = _short(str(error))
    return row


def _made(network: Network) -> tuple[Any, tuple[Any, ...]]:
    import torch

    from streamopt.frontends.torch_module import example_inputs

    torch.random.manual_seed(0)  # pyright: ignore[reportUnknownMemberType]
    made = getattr(import_module(network.module), network.name)()
    for name, statistics in made.named_buffers():
        if name.endswith("running_mean"):
            torch.nn.init.uniform_(statistics, -0.5, 0.5)
        if name.endswith("running_var"):
            torch.nn.init.uniform_(statistics, 0.5, 1.5)
    return made.eval(), example_inputs(network.inputs)


def _error(program: Any, module: Any, inputs: tuple[Any, ...]) -> float:
    """Return the largest difference between the interpreted program and PyTorch."""
    import numpy as np
    import torch

    from streamopt.ir.program import Role
    from streamopt.verification.reference.execution import execute

    names = [array.name for array in program.arrays if array.role is Role.INPUT]
    given = dict(zip(names, (x.numpy() for x in inputs), strict=True))
    found = execute(program, {**program.values, **given})
    with torch.no_grad():
        wanted = module(*inputs).numpy()
    (name,) = [array.name for array in program.arrays if array.role is Role.OUTPUT]
    return float(np.abs(found[name].value - wanted).max())


def _short(text: str) -> str:
    return " ".join(text.split())[:160]


BEGIN, END = "<!-- networks -->", "<!-- end -->"
COLUMNS = (
    *("network", "inputs", "result", "nodes", "error", "design_error", "cycles"),
    *("read_seconds", "remark"),
)


@cache
def _position(name: str) -> int:
    return [network.name for network in NETWORKS].index(name)


def _kept() -> dict[str, dict[str, str]]:
    if not ROWS.exists():
        return {}
    with ROWS.open(newline="", encoding="utf-8") as file:
        return {row["network"]: row for row in csv.DictReader(file)}


def _write(rows: dict[str, dict[str, str]]) -> None:
    with ROWS.open("w", newline="", encoding="utf-8") as file:
        writer: csv.DictWriter[str] = csv.DictWriter(file, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows[name] for name in sorted(rows, key=_position))


def _write_page(rows: dict[str, dict[str, str]]) -> str:
    """Put the table on the page; return how many networks end in a verified design."""
    passed = sum(row["result"] == "verified" for row in rows.values())
    total = f"{passed} of {len(rows)} networks end in a verified design."
    heads = ("network", "inputs", "nodes", "error", "error of the design", "cycles", "result")
    keys = ("network", "inputs", "nodes", "error", "design_error", "cycles", "result")
    lines = [f"| {' | '.join(heads)} |", f"|{'---|' * len(heads)}"]
    for name in sorted(rows, key=_position):
        lines.append(f"| {' | '.join(rows[name].get(key, '') for key in keys)} |")
    page = HERE / "README.md"
    head, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    table = "\n".join([BEGIN, "", total, "", *lines, "", END])
    page.write_text(head + table + rest.partition(END)[2], encoding="utf-8")
    return total


def _in_process(network: Network) -> dict[str, str]:
    command = [sys.executable, __file__, "--one", network.name]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=LONGEST_S, check=True
        )
    except subprocess.TimeoutExpired:
        return {"network": network.name, "inputs": network.inputs, "result": "took too long"}
    except subprocess.CalledProcessError as error:
        remark = _short(error.stderr.strip().splitlines()[-1])
        return {
            "network": network.name,
            "inputs": network.inputs,
            "result": "fault",
            "remark": remark,
        }
    return json.loads(done.stdout.splitlines()[-1])


def main() -> None:
    """Measure the networks that are named, or all."""
    names = sys.argv[1:]
    if names[:1] == ["--one"]:
        warnings.simplefilter("ignore")
        print(json.dumps(measured(NETWORKS[_position(names[1])])))
        return
    rows = _kept()
    for network in NETWORKS:
        if not names or network.name in names:
            row = rows[network.name] = _in_process(network)
            _write(rows)
            print(*(row.get(column, "") for column in COLUMNS), flush=True)
    print(_write_page(rows))


if __name__ == "__main__":
    main()
