"""Measure our operators with Yosys, for UltraScale+; writes the table that estimates take.

Run ``python results/rtl_operators/run.py [--formats f32,f16,f64] [--again]``. Rows are written as
they come, each operator mapped alone: ``streamopt/rtl/costs/data/operators.csv``.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from streamopt.rtl.kernel.making import HURRIED_LEVELS
from streamopt.rtl.operators.conversion_leaf import ConversionLeaf
from streamopt.rtl.operators.float_format import DOUBLE, FLOAT, HALF, FloatFormat
from streamopt.rtl.operators.float_leaf import FloatLeaf
from streamopt.rtl.operators.leaf import OperatorBlock, verilog_of
from streamopt.rtl.operators.number_format import WholeFormat
from streamopt.rtl.operators.table import CONVERSION_LEVELS, FLOAT_LEVELS, FUNCTIONS
from streamopt.synthesis.open_tools.cells import Family, synthesised

TABLE = Path(__file__).parents[2] / "streamopt" / "rtl" / "costs" / "data" / "operators.csv"
COLUMNS = ("operator", "dsps", "bram18", "luts", "ffs")
FORMATS = {form.name: form for form in (FLOAT, HALF, DOUBLE)}
WHOLE = (WholeFormat(32), WholeFormat(8), WholeFormat(16), WholeFormat(64))


def operators(form: FloatFormat) -> Iterator[OperatorBlock]:
    """Yield the operators with registers on numbers of a format."""
    kinds = {kind: levels for kind, levels in FLOAT_LEVELS.items() if levels}
    if form == DOUBLE:
        kinds = {kind: levels for kind, levels in kinds.items() if kind not in FUNCTIONS}
    yield from (FloatLeaf(kind, form, levels) for kind, levels in kinds.items())
    yield FloatLeaf("add", form, HURRIED_LEVELS)
    for whole in WHOLE:
        yield ConversionLeaf(whole, form, CONVERSION_LEVELS)
        yield ConversionLeaf(form, whole, CONVERSION_LEVELS, cuts_off=True)


def measured(leaf: OperatorBlock) -> dict[str, str]:
    """Return the row of an operator."""
    with TemporaryDirectory() as made:
        source, folder = Path(made) / "operator.v", Path(made) / "yosys"
        folder.mkdir()
        source.write_text(verilog_of(leaf))
        cells = synthesised([source], [leaf.name], Family.XCUP, folder)[leaf.name]
    amounts = cells.dsps, cells.bram18, cells.luts, cells.ffs
    return dict(zip(COLUMNS, (leaf.name, *map(str, amounts)), strict=True))


def main() -> None:
    """Measure what is not in the table yet."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--again", action="store_true", help="what is known, too")
    options = parser.parse_args()
    with TABLE.open() as file:
        rows = {row["operator"]: row for row in csv.DictReader(file)}
    for name in options.formats.split(","):
        for leaf in operators(FORMATS[name]):
            if leaf.name in rows and not options.again:
                continue
            rows[leaf.name] = measured(leaf)
            print(*rows[leaf.name].values(), flush=True)
            with TABLE.open("w", newline="") as file:
                writer = csv.DictWriter(file, [*COLUMNS], lineterminator="\n")
                writer.writeheader()
                writer.writerows(rows.values())


if __name__ == "__main__":
    main()
