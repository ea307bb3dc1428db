#include "ap_int.h"
#include "hls_stream.h"
#define DWIDTH 512
#define WORDS (DWIDTH / 32)
#define ROWS 16
typedef ap_uint<DWIDTH> bus_t;

static void read_mat(bus_t *in, hls::stream<bus_t> &s, int n) {
mem_rd:
  for (int i = 0; i < n; ++i) {
#pragma HLS PIPELINE II = 1
    s.write(in[i]);
  }
}
static void mult(hls::stream<bus_t> &a, hls::stream<bus_t> &b, hls::stream<bus_t> &out) {
  int localB[ROWS][WORDS];
#pragma HLS ARRAY_PARTITION variable = localB complete dim = 2
load_b:
  for (int r = 0; r < ROWS; ++r) {
    bus_t w = b.read();
    for (int k = 0; k < WORDS; ++k) {
#pragma HLS UNROLL
      localB[r][k] = w.range((k + 1) * 32 - 1, k * 32);
    }
  }
rows:
  for (int r = 0; r < ROWS; ++r) {
    bus_t w = a.read(), o = 0;
    int acc[WORDS];
#pragma HLS ARRAY_PARTITION variable = acc complete
    for (int c = 0; c < WORDS; ++c) acc[c] = 0;
    for (int k = 0; k < WORDS; ++k) {
#pragma HLS PIPELINE II = 1
      int v = w.range((k + 1) * 32 - 1, k * 32);
      for (int c = 0; c < WORDS; ++c) acc[c] += v * localB[k][c];
    }
    for (int c = 0; c < WORDS; ++c) o.range((c + 1) * 32 - 1, c * 32) = acc[c];
    out << o;
  }
}
static void write_mat(bus_t *out, hls::stream<bus_t> &s, int n) {
  for (int i = 0; i < n; ++i) {
#pragma HLS PIPELINE II = 1
    out[i] = s.read();
  }
}
extern "C" {
void wide_mm(bus_t a[ROWS], bus_t b[ROWS], bus_t c[ROWS]) {
#pragma HLS INTERFACE m_axi port = a bundle = gmem0
#pragma HLS INTERFACE m_axi port = b bundle = gmem1
#pragma HLS INTERFACE m_axi port = c bundle = gmem0
  static hls::stream<bus_t> sa("sa"), sb("sb"), sc("sc");
#pragma HLS STREAM variable = sa depth = 32
#pragma HLS DATAFLOW
  read_mat(a, sa, ROWS);
  read_mat(b, sb, ROWS);
  mult(sa, sb, sc);
  write_mat(c, sc, ROWS);
}
}
