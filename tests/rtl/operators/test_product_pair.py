"""Two products in one DSP against NumPy: some factors in CI, all of eight bits by night."""

import shutil
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from streamopt.rtl.operators.number_format import WholeFormat, narrowest
from streamopt.rtl.operators.product_pair import ProductPairLeaf
from tests.support.runners.operator_bench import results

needs_verilator = pytest.mark.skipif(
    shutil.which("verilator") is None, reason="Verilator isn't installed"
)
S4, S8, U8, S9 = WholeFormat(4), WholeFormat(8), WholeFormat(8, False), WholeFormat(9)


def pair(common: WholeFormat, own: WholeFormat) -> ProductPairLeaf:
    corners = [a * b for a in (common.low, common.high) for b in (own.low, own.high)]
    return ProductPairLeaf(common, own, narrowest(min(corners), max(corners)))


LEAVES = tuple(pair(common, own) for common in (S8, U8) for own in (S8, U8))
WIDE = (pair(S9, S9), pair(S8, S9), pair(S9, U8), pair(S4, S9))


def valued(form: WholeFormat, bits: NDArray[np.uint64]) -> NDArray[np.int64]:
    kept = (bits & np.uint64((1 << form.bits) - 1)).astype(np.int64)
    return kept - ((kept > form.high) * (1 << form.bits))


def check(leaves: tuple[ProductPairLeaf, ...], cases: list[NDArray[np.uint64]], at: Path) -> None:
    for leaf, found in zip(leaves, results(leaves, cases, at), strict=False):
        common, *others = map(valued, leaf.operands, cases)
        low, high = (np.bitwise_and(common * own, (1 << leaf.product.bits) - 1) for own in others)
        wanted = (low | high << leaf.product.bits).astype(np.uint64)
        wrong = np.flatnonzero(found != wanted)
        shown = [[int(part[n]) for part in cases] for n in wrong[:5]]
        assert not wrong.size, f"{leaf.name}: {wrong.size} wrong: {shown}"


def drawn(count: int) -> list[NDArray[np.uint64]]:
    """Return factors from -255 to 255, and all triples of those at the ends and around zero."""
    near = np.array([-255, -254, -129, -128, -127, -1, 0, 1, 2, 127, 128, 254, 255])
    ends = np.stack(np.meshgrid(near, near, near), axis=-1).reshape(-1, 3)
    rest = np.random.default_rng(5).integers(-255, 256, (count, 3))
    return [*np.concatenate([ends, rest]).astype(np.uint64).T]


@needs_verilator
@pytest.mark.slow
def test_two_products(tmp_path: Path) -> None:
    check((*LEAVES, *WIDE), drawn(20_000), tmp_path)


@needs_verilator
@pytest.mark.nightly
def test_two_products_of_all_bytes(tmp_path: Path) -> None:
    """And ten million of nine bits."""
    every = np.arange(1 << 24, dtype=np.uint64)
    check(LEAVES, [every >> np.uint64(16), every >> np.uint64(8), every], tmp_path)
    (tmp_path / "wide").mkdir()
    check(WIDE, drawn(10_000_000), tmp_path / "wide")
