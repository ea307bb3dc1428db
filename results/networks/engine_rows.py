"""A design of ours for a published row that is one engine, which all layers run on in turn."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from time import process_time
from typing import TYPE_CHECKING, Any

from cases import program_of
from measure import FITS

import streamopt as so
from streamopt.target.routed import fullest_design

if TYPE_CHECKING:
    from collections.abc import Callable

    from bounds import Wanted
    from measure import Row

    from streamopt.target.device import Target

__all__ = ["board_ms", "decoder_figures", "engine_figures"]

MODEL = Path(__file__).parents[2] / "models" / "language_models" / "gpt2-medium"
DECODED = "int4"
"""The weights of a language model's engine."""
VERIFIED = {"layers": 1, "prompt": 8, "answers": 2}
"""The part of a language model whose C++ is compiled and run."""


def engine_figures(wanted: Wanted, seconds: float, verified: frozenset[str]) -> Row:
    """Return the figures of the quickest engine within the limits of a row.

    Parameters
    ----------
    verified
        Shapes of engines for the same network and numbers that compute what they should.

    Raises
    ------
    StreamoptError, LookupError
        If there is none.
    """
    device = so.device(wanted.device, wanted.clock_ns)
    search = partial(
        so.engine,
        program_of(wanted.network, wanted.element),
        dsp=wanted.dsps,
        packed=wanted.packed,
        time_limit=seconds,
        budget=so.Budget(lut=wanted.luts, fit=FITS[wanted.part], device=device),
    )
    found, row = _searched(search)
    is_right = row["engine"] in verified or found.verify().passed
    cycles = {"ours": found.cycles, "own_bound": found.bound_cycles}
    if wanted.metric == "board_ms":
        figures = {name: f"{board_ms(count, device):.5g}" for name, count in cycles.items()}
    else:
        figures = {name: str(count) for name, count in cycles.items()}
    return {**row, **figures, "images": "streams", "verified": "pass" if is_right else "fail"}


def decoder_figures(wanted: Wanted, seconds: float, verified: frozenset[str]) -> Row:
    """Return the same for a language model, with both of its metrics.

    Raises
    ------
    StreamoptError, LookupError
        If there is none.
    """
    if wanted.element != DECODED:
        raise LookupError(f"no engine of a language model has weights of {wanted.element}")
    device = so.device(wanted.device, wanted.clock_ns)
    tokens = int(wanted.network.rpartition("_")[2])
    search = partial(
        so.decoder,
        MODEL,
        prompt=tokens,
        answers=tokens,
        dsp=wanted.dsps,
        time_limit=seconds,
        budget=so.Budget(device=device),
    )
    found, row = _searched(search)
    run = found.evaluation.run
    is_right = row["engine"] in verified or found.reduced(**VERIFIED).verify().passed
    return {
        **row,
        "ttft_ms": f"{board_ms(run.first_cycles, device):.5g}",
        "tokens_s": f"{1e9 / (run.cycles_per_answer * _clock_ns(device)):.5g}",
        "verified": "pass" if is_right else "fail",
    }


def _searched(search: Callable[[], Any]) -> tuple[Any, Row]:
    started = process_time()
    found = search()
    used = found.evaluation.resources.total
    return found, {
        "form": "engine",
        "engine": str(found.evaluation.hardware.table.shape),
        "seconds": f"{process_time() - started:.1f}",
        "megabytes": str(getrusage(RUSAGE_SELF).ru_maxrss // 1024),
        "dsps": str(used.dsps),
        "lut": str(used.luts),
        "bram18": str(used.bram18),
        "uram": str(used.uram),
        "over": "",
        "weights": "streamed",
    }


def board_ms(cycles: int, device: Target) -> float:
    """Return the time of a host's call at the clock of the fullest design that was routed."""
    return 1e-6 * (cycles * _clock_ns(device) + device.call_ns)


def _clock_ns(device: Target) -> float:
    return max(device.clock_ns, 1e3 / fullest_design().clock_mhz)
