"""Layers of networks: what nodes become, and which are refused with what reason."""

from __future__ import annotations

import pytest

import streamopt as so
from streamopt.errors import LegalityError
from streamopt.ir.element import ElementType
from streamopt.ir.engines.layers import Combine, LayerGraph
from streamopt.transforms.engines.network_layers import network_layers
from tests.support.programs.integer_networks import every_layer, lenet, perceptron


def layers_of(text: str) -> LayerGraph:
    return network_layers(so.dataflow(so.load(text)))


def test_point_wise_nodes_and_pools_go_into_the_layer_before() -> None:
    found = network_layers(so.dataflow(lenet()))
    assert [layer.pool for layer in found.layers] == [(2, 2), (2, 2), (1, 1), (1, 1), (1, 1)]
    assert [layer.depth * layer.taps for layer in found.layers] == [25, 150, 400, 120, 84]
    assert found.layers[0].rows.before == 2
    assert found.products == 416_520


def test_a_flat_map_is_a_window_over_all_of_it() -> None:
    full = network_layers(so.dataflow(lenet())).layers[2]
    assert (full.depth, full.rows.taps, full.columns.taps) == (16, 5, 5)
    assert full.weights is not None
    assert full.weights.strides == (0, 400, 25, 5, 1)


def test_sums_that_are_only_narrowed_are_kept_narrow() -> None:
    found = network_layers(so.dataflow(every_layer()))
    assert {found.map(layer.source).element for layer in found.layers} == {ElementType.INT8}
    second = next(layer for layer in found.layers if layer.name.startswith("second"))
    assert second.epilogue.element is ElementType.INT8
    shortcut = next(layer for layer in found.layers if layer.name.startswith("shortcut"))
    assert [name for _, name in shortcut.epilogue.maps] == [second.result]


def test_kinds_of_layers() -> None:
    layers = network_layers(so.dataflow(every_layer())).layers
    kinds = {layer.name.split("_")[0]: (layer.combine, layer.is_lanes) for layer in layers}
    assert kinds["depthwise"] == (Combine.PRODUCTS, True)
    assert kinds["pointwise"] == (Combine.PRODUCTS, False)
    assert kinds["overlapping"] == (Combine.LARGEST, True)
    assert next(layer.fill for layer in layers if layer.name == "overlapping") == -128
    assert Combine.SUM in {layer.combine for layer in layers}


def test_rows_of_features_are_positions() -> None:
    first, second = network_layers(so.dataflow(perceptron())).layers
    assert (first.positions, first.outputs, first.depth) == (3, 24, 20)
    assert (second.positions, second.outputs, second.depth) == (3, 7, 24)


C_TEXT = """
#include <stdint.h>

void f(const int8_t x[14][14], const int8_t w[8][3][3], const int8_t v[10][288], int y[10]) {
  int8_t h[8][6][6];
  for (int o = 0; o < 8; o++)
    for (int i = 0; i < 6; i++)
      for (int j = 0; j < 6; j++) {
        int sum = 0;
        for (int k = 0; k < 3; k++)
          for (int l = 0; l < 3; l++) sum += x[2 * i + k][2 * j + l] * w[o][k][l];
        sum = (sum + 128) >> 8;
        sum = sum > 127 ? 127 : sum;
        h[o][i][j] = sum > 0 ? sum : 0;
      }
  for (int c = 0; c < 10; c++) {
    y[c] = 0;
    for (int n = 0; n < 288; n++) y[c] += h[n / 36][n / 6 % 6][n % 6] * v[c][n];
  }
}
"""


def test_arguments_of_c_are_maps_or_weights_by_their_loops() -> None:
    first, second = layers_of(C_TEXT).layers
    assert first.weights is not None
    assert (first.source, first.weights.array, first.rows.step) == ("x", "w", 2)
    assert second.weights is not None
    assert (second.depth, second.taps, second.weights.array) == (8, 36, "v")


REFUSED = {
    "its terms are no elements, nor products of one with a weight": """
#include <stdint.h>
void f(const int8_t x[8][8], int y[8][8]) {
  for (int i = 0; i < 8; i++)
    for (int j = 0; j < 8; j++) {
      y[i][j] = 0;
      for (int k = 0; k < 8; k++) y[i][j] += (x[i][k] >> 1) * (x[k][j] >> 1);
    }
}
""",
    "its iterations run one after another": """
#include <stdint.h>
void f(const int8_t x[8], int y[8]) {
  y[0] = x[0];
  for (int i = 1; i < 8; i++) y[i] = (y[i - 1] >> 1) + x[i];
}
""",
}


@pytest.mark.parametrize("reason", REFUSED)
def test_other_nodes_are_refused_with_their_reason(reason: str) -> None:
    with pytest.raises(LegalityError) as caught:
        layers_of(REFUSED[reason])
    assert {problem.code for problem in caught.value.diagnostics} == {"E341"}
    assert reason in str(caught.value)


REAL = """
void f(const float x[8], const float w[8][8], float y[8]) {
  for (int i = 0; i < 8; i++) {
    y[i] = 0;
    for (int k = 0; k < 8; k++) y[i] += x[k] * w[i][k];
  }
}
"""


def test_real_numbers_are_not_mixed_with_others() -> None:
    assert network_layers(so.dataflow(so.load(REAL))).is_float
    for old, new in (
        ("const float x", "const int8_t x"),
        ("const float w", "const double w"),
        ("float y[8]", "double y[8]"),
    ):
        program = so.load("#include <stdint.h>\n" + REAL.replace(old, new))
        with pytest.raises(LegalityError, match=r"E342 the .* of layer"):
            network_layers(so.dataflow(program))


def test_real_products_share_no_dsp() -> None:
    with pytest.raises(LegalityError, match=r"E342 .*floating-point"):
        so.engine(REAL, dsp=20, packed=True)
