"""Find the best engine of GPT-2 Medium for every published task; then the page.

Run ``python results/language_models/run.py [--tasks 32:32,64:64] [--search-seconds S]
[--processor-seconds S] [--again] [--fast] [--bounds]``. ``--fast`` leaves out the C++ of a whole
layer, which takes minutes, and the error beside PyTorch; ``--bounds`` measures nothing. Each design
has a process of its own, which ends when it has used its processor time.
"""

from __future__ import annotations

import argparse
import csv
import sys
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import streamopt as so
from streamopt.report.text_tables import markdown_section
from streamopt.sweeping.keyed_rows import read_rows
from streamopt.sweeping.resumed_rows import Case, add_options, measure_rows, measured_or_refused
from streamopt.verification.decoders.interpreter import answers_of

if TYPE_CHECKING:
    from argparse import Namespace

    from streamopt.sweeping.keyed_rows import MeasuredRow

HERE = Path(__file__).parent
MODELS = HERE.parents[1] / "models"
CONFIG = MODELS / "language_models" / "gpt2-medium" / "config.json"
sys.path.insert(0, str(MODELS))

KEYS = ("task", "design")
TASKS = ("32:32", "64:64", "128:128", "256:256")
DESIGNS = ("own", "common")
COMMON = "128:128"
"""The task whose engine runs all tasks as the common one."""
VERIFIED = (32, 4)
"""Tokens that are given, and that follow, in the C++ of a layer."""
MEASURED = (
    *("cycles", "bound", "roofline", "first_cycles", "total_ms", "first_token_ms"),
    *("tokens_per_second", "share", "stalls", "dsps", "lut", "bram18", "uram", "channels"),
    *("channel_bytes", "shape", "seconds", "verified", "error"),
)
COLUMNS = {
    "task": "task",
    "design": "design",
    "first_token_ms": "first token, ms",
    "tokens_per_second": "tokens/s",
    "total_ms": "total, ms",
    "cycles": "cycles",
    "bound": "bound",
    "roofline": "products and bytes alone",
    "share": "share of HBM",
    "dsps": "DSPs",
    "lut": "LUTs",
    "bram18": "BRAM18",
    "uram": "URAM",
    "channel_bytes": "bytes of a channel",
    "shape": "engine",
    "seconds": "s",
    "verified": "verified",
    "error": "error",
    "refused": "reason",
}
WORDS = 2
HEAD = """# GPT-2 Medium on one engine

`python results/language_models/run.py` measures and writes this page. A task `n:m` is a prompt of
n tokens and m tokens that follow: GPT-2 Medium in whole (24 layers of 1024 features, 16 heads,
4096 hidden features, a vocabulary of 50,257), with 4-bit weights and 8-bit activations, keys and
values, on a U280 at 3.33 ns within the vendor's shares of the device (`--fit device`). Ours is
[the engine](../../docs/guides/language-models.md) with the fewest simulated cycles for the task
(*own*), or the one for 128:128 (*common*). Embeddings, all matrices with that of the vocabulary,
both norms, the softmax, keys and values that are kept in HBM and read again for every token,
filling and draining of every loop, and the feedback of each token are counted; the call of the
kernel is not: it takes 0.096 ms once a task.

*Bound* is the least of all shapes that fit, proved; *products and bytes alone* have two products in
each DSP of the device, and all 32 channels. *Share of HBM* is bytes over what 32 channels deliver,
while tokens follow. *Bytes of a channel* are those of all weights, keys and values, of the
268,435,456 that one holds; engines whose channels don't hold the model are refused. *s* is
processor time of the search. *Verified*: the C++ of the same shape with one layer and the whole
vocabulary was compiled and agrees with the model in integers in every bit. *Error*: of the logits
of all 24 layers behind 32 to 35 tokens, root mean square over that of the logits of PyTorch in
floats, with drawn weights, as trained ones aren't part of this project.
LUTs are estimated; no tool has built one of these engines.
"""
OTHERS = """Figures of others are measured on boards, with the work between kernels; ours are
simulated. CODO's decoding kernel attends to a single key, and no system says that it counts the
matrix of the vocabulary. Sources: CODO (Zhao et al., ISCA 2026, table VI), which also tells the
figures of the other systems; that of StreamTensor for 256 tokens is quoted from its paper by
others.
"""


def _solution(task: str, options: Namespace) -> Any:
    prompt, answers = map(int, task.split(":"))
    return so.decoder(CONFIG, prompt=prompt, answers=answers, time_limit=options.search_seconds)


def measured(task: str, design: str, options: Namespace) -> Any:
    """Return the figures of an engine."""
    found = _solution(task if design == "own" else COMMON, options)
    prompt, answers = map(int, task.split(":"))
    run = found.run if design == "own" else found.simulate(prompt, answers)
    clock_ns, used = found.target.clock_ns, found.resources.total
    each = run.cycles_per_answer
    first = found.simulate(prompt, 1)
    table = found.hardware.table
    moved = (run.words - first.words) * table.shape.word_bytes
    channels = [channel for channel in found.target.channels if channel.name.startswith("HBM")]
    rate = sum(channel.bytes_per_cycle(clock_ns) for channel in channels)
    is_own = design == "own"
    row = {
        "cycles": str(run.cycles),
        "bound": str(found.bound_cycles) if is_own else "",
        "roofline": str(found.roofline_cycles) if is_own else "",
        "first_cycles": str(run.first_cycles),
        "total_ms": f"{run.cycles * clock_ns * 1e-6:.2f}",
        "first_token_ms": f"{run.first_cycles * clock_ns * 1e-6:.2f}",
        "tokens_per_second": f"{1e9 / (each * clock_ns):.1f}",
        "share": f"{moved / (run.cycles - run.first_cycles) / rate:.3f}",
        "stalls": str(run.stall_cycles),
        "dsps": str(used.dsps),
        "lut": str(used.luts),
        "bram18": str(used.bram18),
        "uram": str(used.uram),
        "channels": str(len(found.hardware.supply.channels)),
        "channel_bytes": str(table.channel_bytes),
        "shape": str(table.shape),
        "seconds": f"{found.solve_seconds:.1f}",
    }
    if not options.fast and task == COMMON and is_own:
        row |= {"verified": _verdict(found), "error": _error(options)}
    return row


def _verdict(found: Any) -> str:
    """Return whether a layer of full size computes every bit."""
    prompt, answers = VERIFIED
    verdict = found.reduced(layers=1, prompt=prompt, answers=answers).verify()
    is_exact = all(output.max_error == 0 for output in verdict.outputs)
    return "every bit" if verdict.passed and is_exact else "no"


def _error(options: Namespace) -> str:
    """Return the error of logits beside PyTorch, as a share of their root mean square."""
    torch: Any = import_module("torch")
    modules: Any = import_module("modules.language_models")
    torch.manual_seed(0)
    module = modules.Gpt2(24, 1024, 16, 4096, 50257, 1024)
    state = {name: value.detach().numpy() for name, value in module.state_dict().items()}
    prompt, answers = VERIFIED
    found = so.decoder(
        CONFIG, prompt=prompt, answers=answers, weights=state, time_limit=options.search_seconds
    )
    tokens = np.random.default_rng(0).integers(0, 50257, prompt, np.int32)
    integers = found.integers()
    answered = answers_of(integers, tokens, answers)
    whole = np.concatenate([tokens, answered.tokens[:-1]])
    with torch.no_grad():
        wanted = module(torch.as_tensor(whole, dtype=torch.long)).numpy()[-answers:]
    rest = answered.logits * integers.logit_scale - wanted
    return f"{np.sqrt(np.square(rest).mean() / np.square(wanted).mean()):.3f}"


def row_of(task: str, design: str, found: MeasuredRow) -> MeasuredRow:
    """Return the row of a task; ``found`` is empty, says why, or is measured."""
    return {
        "task": task,
        "design": design,
        **{name: found.get(name, "") for name in MEASURED},
        "refused": found.get("refused", ""),
        "commit": found.get("commit", ""),
    }


def case_of(task: str, design: str, options: Namespace) -> Case:
    """Return a row, to be measured if it is asked for."""
    return Case(
        (task, design),
        task in options.tasks.split(","),
        partial(
            measured_or_refused,
            HERE,
            options.processor_seconds,
            measured,
            *(task, design, options),
        ),
        partial(row_of, task, design),
    )


def _beside() -> str:
    """Return the table of published figures, with ours first."""
    with (HERE / "published.csv").open(encoding="utf-8", newline="") as file:
        published = list(csv.DictReader(file))
    ours = {row["task"]: row for row in read_rows(HERE / "rows.csv") if row["design"] == "common"}
    names = ("first_token_ms", "tokens_per_second", "total_ms")
    lines = list[list[str]]()
    for task in TASKS:
        own = ours.get(task, {})
        lines.append(
            [task, "ours, common", "U280", "300", "W4A8", *(own.get(n, "") for n in names)]
        )
        lines += (
            [task, row["system"], row["device"], row["clock_mhz"], row["numbers"]]
            + [row[name] for name in names]
            for row in published
            if row["task"] == task
        )
    titles = ["task", "system", "device", "MHz", "numbers"]
    titles += ["first token, ms", "tokens/s", "total, ms"]
    return markdown_section("Beside others", titles, lines, words=5)


def write_page() -> None:
    """Write README.md from the rows."""
    rows = read_rows(HERE / "rows.csv")
    lines = [[row.get(name, "") for name in COLUMNS] for row in rows]
    table = markdown_section("Engines", [*COLUMNS.values()], lines, words=WORDS)
    text = f"{HEAD}\n{_beside()}\n\n{OTHERS}\n{table}\n"
    (HERE / "README.md").write_text(text, encoding="utf-8")


def main() -> None:
    """Measure the rows that are asked for, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tasks", default=",".join(TASKS), help="joined by commas")
    add_options(parser, processor_seconds=900.0)
    options = parser.parse_args()
    listed = [case_of(task, design, options) for task in TASKS for design in DESIGNS]
    measure_rows(HERE, KEYS, listed, options, partial(print, flush=True))
    write_page()


if __name__ == "__main__":
    main()
