"""Figures of the README are those of the rows in results/."""

from __future__ import annotations

import csv
import re
from pathlib import Path
from statistics import mean

import streamopt as so

TOP = Path(__file__).parents[2]
README = (TOP / "README.md").read_text(encoding="utf-8")
STRATEGIES = {"hida": "HIDA", "scalehls": "ScaleHLS", "codo": "CODO", "opt5": "`opt5`"}
SHARES = {"dsps": "DSP", "luts": "LUT", "bram18": "BRAM"}
BOUND, PUBLISHED, OURS = "DSP bound", "Stream-HLS", "`opt6`"


def rows(path: str) -> list[dict[str, str]]:
    with (TOP / "results" / path).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def table(first: str, text: str) -> list[dict[str, str]]:
    """Return the Markdown table whose first column has this name."""
    lines = text[text.index(f"| {first} |") :].split("\n\n")[0].splitlines()
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(cells[0], row, strict=True)) for row in cells[2:]]


def measured() -> list[dict[str, str]]:
    """Return the table as the rows of the measurements give it, PolyBench first."""
    found: dict[str, dict[str, str]] = {}
    for row in rows("beyond/designs.csv"):
        if (row["fit"], row["binding"]) == ("slr", "free"):
            line = found.setdefault(row["program"], {PUBLISHED: "-", OURS: row["simulated_cycles"]})
            for resource, name in SHARES.items():
                share = 100 * int(row[resource]) / getattr(so.device().slr, resource)
                line[name] = f"{share:.0f} %"
    for row in rows("rivals/rows.csv"):
        way = STRATEGIES.get(row["strategy"] or row["level"])
        if row["program"] in found and row["dsp_limit"] == "2560" and way is not None:
            found[row["program"]] |= {way: row["simulated_cycles"], BOUND: row["roofline_cycles"]}
    for row in rows("published/streamhls_rtl_cycles.csv"):
        if (row["level"], row["dsp_limit"]) == ("opt5", "2560") and row["program"] in found:
            found[row["program"]][PUBLISHED] = row["rtl_cycles"]
    names = sorted(found, key=lambda name: (not name.startswith("polybench"), name))
    return [{"program": name.partition("/")[2], **found[name]} for name in names]


def test_cycles_and_shares_of_every_program() -> None:
    shown = table("program", README)
    assert len(shown) == 17
    assert {*shown[0]} == {
        "program",
        BOUND,
        PUBLISHED,
        OURS,
        *STRATEGIES.values(),
        *SHARES.values(),
    }
    assert shown == measured()


def test_the_kernel_is_that_of_the_gallery() -> None:
    kernel = README.split('```c title="mlp.c"\n')[1].split("```")[0]
    written = (TOP / "models" / "gallery" / "mlp.c").read_text(encoding="utf-8")
    assert written.endswith(kernel)


def test_it_is_short() -> None:
    assert README.count("\n") <= 120


def test_a_changed_cell_is_found() -> None:
    cell = measured()[0]["`opt6`"]
    shown = table("program", README.replace(f" {cell} |", f" {int(cell) + 1} |"))
    assert shown != measured()


def test_figures_of_the_pages_for_users_of_other_systems() -> None:
    rivals = (TOP / "results/rivals/README.md").read_text(encoding="utf-8")
    over = dict(re.findall(r"^\| (\w+) \| \d+ of 17 \| ([\d.]+) of 17 \|", rivals, re.MULTILINE))
    hida = " ".join((TOP / "docs/from/hida.md").read_text(encoding="utf-8").split())
    told = r"HIDA's strategy take ([\d.]+) times .* those of ScaleHLS's ([\d.]+) times"
    said = re.search(told, hida)
    assert said is not None
    assert said.groups() == (over["HIDA"], over["ScaleHLS"])
    atax = next(row for row in measured() if row["program"] == "atax")
    stream_hls = (TOP / "docs/from/stream-hls.md").read_text(encoding="utf-8")
    assert f"RTL simulation of this one took {atax[PUBLISHED]} cycles" in stream_hls
    assert re.search(rf"it finds\n{atax['`opt6`']} cycles", stream_hls)


def in_millions(cycles: str) -> str:
    return f"{float(cycles) / 1e6:.2f} M"


def test_intervals_of_networks() -> None:
    text = " ".join(README.split())
    found = 0
    for row in rows("networks/rows.csv"):
        given = (row["table"], row["system"], row["metric"], row["packed"], row["element"])
        name = {"mobilenet_224": "MobileNet", "resnet18_224": "ResNet-18", "zfnet_224": "ZFNet"}
        if given == ("8", "HIDA", "interval_cycles", "no", "int8") and row["network"] in name:
            ours, theirs = in_millions(row["ours"]), in_millions(row["published"])
            said = rf"{name[row['network']]}( takes)? {re.escape(ours)}( cycles a frame)? \("
            assert re.search(said + re.escape(theirs), text), (row["network"], ours, theirs)
            assert row["verified"] == "pass"
            found += 1
    assert found == 3


def test_error_of_the_simulator() -> None:
    said = re.search(
        r"co-simulation of (\d+) published designs with a mean error of ([\d.]+) %", README
    )
    assert said is not None
    errors = [abs(float(row["source_only_error"])) for row in rows("rtl_accuracy/rows.csv")]
    assert (said[1], said[2]) == (str(len(errors)), f"{100 * mean(errors):.2f}")
