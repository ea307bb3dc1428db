"""Measure how near whole networks at opt6 come to the bound that their search proves: gaps.csv.

Run ``python results/networks/gaps.py [--programs WORD,WORD] [--search-seconds S]
[--processor-seconds S] [--fast]``: latency of integer networks with one product in a DSP, weights
counted, on a whole U280 at 5 ns, at DSPs that others have published for them. ``--fast`` leaves
verification out. Rows are written as they come; ``run.py --bounds`` makes the page anew.
"""

from __future__ import annotations

import argparse
from functools import partial
from pathlib import Path

from bounds import PACKED, Wanted
from measure import Search, measured, verdict

from streamopt.sweeping.keyed_rows import add_row
from streamopt.sweeping.resumed_rows import measured_or_refused
from streamopt.target.device import Target

HERE = Path(__file__).parent
KEYS = ("network", "dsps_allowed")
DSPS = {
    "lenet": 220,
    "mlp": 164,
    "mobilenet_32": 220,
    "mobilenet_224": 677,
    "resnet18_32": 468,
    "resnet18_224": 535,
    "vgg16_32": 376,
    "vgg16_224": 952,
    "yolo_1280x384": 1132,
    "zfnet_224": 630,
}
DEVICE, CLOCK_NS, PART = "u280", 5.0, "device"
VERIFY_SECONDS = 1200.0
COLUMNS = (
    *("ours_cycles", "own_bound_cycles", "gap", "seconds", "megabytes", "dsps", "lut", "bram18"),
    *("uram", "over", "line_buffer_bytes", "weights", "verified", "refused", "commit"),
)


def main() -> None:
    """Measure the networks that are asked for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--programs", default="", help="words of which a network has one in it")
    parser.add_argument("--search-seconds", type=float, default=60.0)
    parser.add_argument("--processor-seconds", type=float, default=600.0)
    parser.add_argument("--fast", action="store_true", help="without verification")
    options = parser.parse_args()
    luts = Target.named(DEVICE, CLOCK_NS).total.luts
    search = Search("opt6", options.search_seconds, "chosen", "axis")
    answer = partial(measured_or_refused, HERE)
    for network, dsps in DSPS.items():
        if not any(word in network for word in options.programs.split(",")):
            continue
        limits = (dsps, CLOCK_NS, DEVICE, PART, luts)
        wanted = Wanted(network, PACKED, "latency_cycles", *limits, packed=False)
        found = answer(options.processor_seconds, measured, wanted, search)
        if "schedule" in found:
            found["gap"] = f"{int(found['ours_cycles']) / int(found['own_bound_cycles']) - 1:.4f}"
            if not options.fast:
                found |= answer(VERIFY_SECONDS, verdict, wanted, found["schedule"])
        key = dict(zip(KEYS, (network, str(dsps)), strict=True))
        add_row(HERE / "gaps.csv", KEYS, key | {name: found.get(name, "") for name in COLUMNS})
        print(*key.values(), *(found.get(name, "") for name in COLUMNS), flush=True)


if __name__ == "__main__":
    main()
