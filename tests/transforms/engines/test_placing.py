"""Maps in memories: what is read together is apart, and what is alive isn't overwritten."""

from __future__ import annotations

from itertools import combinations

import streamopt as so
from streamopt.transforms.engines.joining import maps_read
from streamopt.transforms.engines.network_layers import network_layers
from streamopt.transforms.engines.placing import placed

BLOCK = """
void block(const signed char x[16][8][8], const signed char v[16][16], const signed char w[16][16],
           signed char y[16]) {
  signed char a[16][8][8], b[16][8][8], c[16][8][8];
  for (int o = 0; o < 16; o++) for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {
    int sum = 0;
    for (int d = 0; d < 16; d++) sum += x[d][i][j] * v[o][d];
    a[o][i][j] = sum >> 8;
  }
  for (int o = 0; o < 16; o++) for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {
    int sum = 0;
    for (int d = 0; d < 16; d++) sum += a[d][i][j] * w[o][d];
    b[o][i][j] = sum >> 8;
  }
  for (int o = 0; o < 16; o++) for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) {
    int sum = 0;
    for (int d = 0; d < 16; d++) sum += b[d][i][j] * v[o][d];
    c[o][i][j] = (sum >> 8) + a[o][i][j];
  }
  for (int o = 0; o < 16; o++) {
    int sum = 0;
    for (int i = 0; i < 8; i++) for (int j = 0; j < 8; j++) sum += c[o][i][j];
    y[o] = sum >> 6;
  }
}
"""
ELEMS = 16 * 8 * 8


def test_a_sum_is_written_over_the_map_that_it_adds() -> None:
    graph = network_layers(so.dataflow(so.load(BLOCK)))
    places, memories, rows = placed(graph, 16)
    added, total = places["a"], places["c"]
    assert (added.memory, added.base) == (total.memory, total.base)
    assert memories == 2
    assert rows * 16 == ELEMS
    for layer in graph.layers:
        for one, other in combinations(maps_read(layer), 2):
            assert places[one].memory != places[other].memory


def test_a_sum_is_written_elsewhere_where_its_operand_is_read_again() -> None:
    last = BLOCK.index("  for (int o = 0; o < 16; o++) {")
    more = BLOCK[last:].replace("c[o]", "a[o]").replace("y[o]", "z[o]")
    again = BLOCK.rstrip()[:-1].replace("y[16])", "y[16], signed char z[16])") + more
    graph = network_layers(so.dataflow(so.load(again)))
    places, _, _ = placed(graph, 16)
    added, total = places["a"], places["c"]
    assert added.memory != total.memory or abs(added.base - total.base) >= ELEMS
