"""Values that go from one statement of an iteration to a later one, in C++ as in the network."""

import numpy as np

from streamopt.codegen.backends.vitis import emit
from streamopt.ir.network import AccessMode
from streamopt.transforms.lower import lower
from tests.support.runners.stepped_designs import emitted, in_steps
from tests.support.steps import ordered, scheduled

PAIRS = """
    for t 0 3
    . phase both: i 0 12
    . : x[2*i] = x[2*i] * 0.5 + y[i]
    . : x[2*i+1] = x[2*i+1] * 0.25
    . : y[i] = x[2*i] + x[2*i+1] + y[i]
"""


def test_a_value_goes_on_past_the_write_of_another_element() -> None:
    order = ordered("pairs", {"x": (24,), "y": (12,)}, PAIRS)
    design = scheduled(order)
    text = emit(design).text("pairs.cpp")
    sums = [line for line in text.splitlines() if line.strip().startswith("y_0[")]
    assert "x_0[" not in sums[-1]
    (process,) = lower(design).processes
    (both,) = [own for own in process.pipelines if own.name.endswith("both")]
    reads = [port for port in both.ports if port.mode is AccessMode.READ]
    assert len(reads) == 3  # x[2 * i], x[2 * i + 1] and y[i]
    rng = np.random.default_rng(1)
    inputs = {name: rng.random(order.arrays[name].shape) for name in ("x_in", "y_in")}
    inputs = {name: values.astype(np.float32) for name, values in inputs.items()}
    found = emitted(design, inputs)
    expected = in_steps(order.node, order.steps, order.arrays, inputs)
    assert all(found[name].tobytes() == expected[name].tobytes() for name in ("x", "y"))
