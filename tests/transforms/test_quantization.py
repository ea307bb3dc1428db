"""Products with weights in integers: against integers by hand, and in a design."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import streamopt as so
from streamopt import dsl
from streamopt.errors import FrontendError, OptionError
from streamopt.transforms.weight_products import products, with_folded_scales

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from streamopt.ir.program import Program


def drawn(*shape: int) -> NDArray[np.float32]:
    return np.random.default_rng(shape).standard_normal(shape).astype(np.float32)


WEIGHTS = {"w": drawn(8, 6), "scale": drawn(6), "shift": drawn(6) / 2, "v": drawn(4, 6)}
X = drawn(3, 8)


def layers() -> Program:
    """Return two layers with a normalization behind the first one."""
    p = dsl.program("layers")
    i, j, k, o = p.iterators(i=3, j=6, k=8, o=4)
    x = p.input("x", 3, 8)
    w, scale, shift, v = (p.weight(n, *a.shape, values=a) for n, a in WEIGHTS.items())
    s = p.compute("s", (i, j), dsl.sum(k, x[i, k] * w[k, j]))
    h = p.compute("h", (i, j), dsl.relu(s[i, j] * scale[j] + shift[j]))
    p.output("y", (i, o), dsl.sum(j, h[i, j] * v[o, j]))
    return p.build()


def steps(values: NDArray[Any], axis: int | None, most: int = 127) -> NDArray[np.int64]:
    """Return exponents with which values are rounded best, for all or along an axis."""
    rows = values.reshape(1, -1) if axis is None else np.moveaxis(values, axis, 0)

    def error(row: NDArray[Any], exponent: int) -> float:
        scaled = row.astype(float) * 2.0**exponent
        return (
            float((((np.clip(np.rint(scaled), -most, most)) - scaled) ** 2).sum()) / 4.0**exponent
        )

    best: list[int] = []
    for row in rows:
        whole = int(np.floor(np.log2(most / np.abs(row).max())))
        best.append(min((whole, whole + 1), key=lambda exponent: error(row, exponent)))
    return np.array(best)


def by_hand(x: NDArray[Any], most: int) -> NDArray[Any]:
    """Return the results of both layers in whole numbers."""
    w, scale, shift, v = (each.astype(float) for each in WEIGHTS.values())
    folded = (w * scale).astype(np.float32).astype(float)
    hidden = np.maximum(X.astype(float) @ w * scale + shift, 0)
    ex, ew = int(steps(x, None)[0]), steps(folded, 1, most)
    eh, ev = int(steps(hidden, None)[0]), steps(v, 0, most)
    xq = np.clip(np.rint(x * 2.0**ex), -127, 127)
    wq = np.clip(np.rint(folded * 2.0**ew), -most, most)
    sums = np.rint(shift * 2.0 ** (ex + ew)) + xq @ wq
    hq = np.clip(np.rint(np.maximum(sums * 2.0 ** -(ex + ew), 0) * 2.0**eh), -127, 127)
    vq = np.clip(np.rint(v * 2.0 ** ev[:, None]), -most, most)
    return hq @ vq.T * 2.0 ** -(eh + ev)


@pytest.mark.parametrize(("kind", "most"), [("int8", 127), ("w4a8", 7)])
def test_integers_are_those_by_hand(kind: str, most: int) -> None:
    made = so.quantize(layers(), kind, inputs={"x": X})
    assert made.products == 2
    kinds = {array.name: str(array.element) for array in made.program.arrays}
    assert kinds["w"] == kinds["v"] == ("int8_t" if most == 127 else "ap_int<4>")
    assert (kinds["s"], kinds["h"], kinds["y"]) == ("int32_t", "int8_t", "float")
    np.testing.assert_array_equal(made.program.sample["y"], by_hand(X, most))
    assert made.signal_to_noise_db["y"] > (30 if most == 127 else 10)


def test_scales_become_the_weights() -> None:
    program = layers()
    folded = with_folded_scales(program)
    assert {array.name for array in folded.arrays} == {"x", "w", "v", "s", "h", "y", "s_bias"}
    before, after = (so.interpret(p, {**p.values, "x": X})["y"] for p in (program, folded))
    np.testing.assert_allclose(before, after, rtol=1e-4, atol=1e-5)
    assert len(products(folded)) == 2


def test_a_design_agrees_in_every_bit(tmp_path: Path) -> None:
    made = so.quantize(layers(), inputs={"x": X})
    solution = so.solve(made.program, level="opt2", dsp=20, time_limit=2)
    so.write(made.program, solution.schedule, tmp_path / "made")
    verdict = so.verify(tmp_path / "made")
    assert verdict.passed
    assert "max error 0," in str(verdict)


def test_what_cannot_be_quantized() -> None:
    p = dsl.program("sums")
    (i,) = p.iterators(i=4)
    x = p.input("x", 4)
    p.output("y", (i,), x[i] + 1)
    with pytest.raises(FrontendError) as caught:
        so.quantize(p.build())
    assert [each.code for each in caught.value.diagnostics] == ["E119"]
    with pytest.raises(OptionError):
        so.quantize(layers(), "int3")
