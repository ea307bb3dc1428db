#include <stdint.h>
#include <hls_stream.h>
#include <hls_vector.h>
#include "assert.h"
#define MEMORY_DWIDTH 512
#define SIZEOF_WORD 4
#define NUM_WORDS ((MEMORY_DWIDTH) / (8 * SIZEOF_WORD))
#define DATA_SIZE 256
typedef hls::vector<uint32_t, NUM_WORDS> vec_t;

static void load_input(vec_t *in, hls::stream<vec_t> &inStream, int vSize) {
mem_rd:
  for (int i = 0; i < vSize; i++) {
#pragma HLS LOOP_TRIPCOUNT min = 16 max = 16
    inStream << in[i];
  }
}
static void compute_add(hls::stream<vec_t> &in1, hls::stream<vec_t> &in2, hls::stream<vec_t> &out, int vSize) {
execute:
  for (int i = 0; i < vSize; i++) {
    out << (in1.read() + in2.read());
  }
}
static void store_result(vec_t *out, hls::stream<vec_t> &out_stream, int vSize) {
mem_wr:
  for (int i = 0; i < vSize; i++) {
    out[i] = out_stream.read();
  }
}
extern "C" {
void krnl_vadd(vec_t in1[DATA_SIZE / NUM_WORDS], vec_t in2[DATA_SIZE / NUM_WORDS], vec_t out[DATA_SIZE / NUM_WORDS]) {
#pragma HLS INTERFACE m_axi port = in1 bundle = gmem0
#pragma HLS INTERFACE m_axi port = in2 bundle = gmem1
  static hls::stream<vec_t> in1_stream("input_stream_1");
  static hls::stream<vec_t> in2_stream("input_stream_2");
  static hls::stream<vec_t> out_stream("output_stream");
  int size = DATA_SIZE;
  assert(size % NUM_WORDS == 0);
  int vSize = size / NUM_WORDS;
#pragma HLS dataflow
  load_input(in1, in1_stream, vSize);
  load_input(in2, in2_stream, vSize);
  compute_add(in1_stream, in2_stream, out_stream, vSize);
  store_result(out, out_stream, vSize);
}
}
