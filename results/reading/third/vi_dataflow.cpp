#include <hls_stream.h>
#include <stdint.h>
#define DATA_SIZE 64
// TRIPCOUNT identifiers
const int c_size = DATA_SIZE;

static void read_input(unsigned int *in, hls::stream<unsigned int> &inStream, int vSize) {
mem_rd:
  for (int i = 0; i < vSize; i++) {
#pragma HLS LOOP_TRIPCOUNT min = c_size max = c_size
    inStream << in[i];
  }
}
static void compute_add(hls::stream<unsigned int> &inStream, hls::stream<unsigned int> &outStream, int inc, int vSize) {
execute:
  for (int i = 0; i < vSize; i++) {
#pragma HLS LOOP_TRIPCOUNT min = c_size max = c_size
    outStream << (inStream.read() + inc);
  }
}
static void write_result(unsigned int *out, hls::stream<unsigned int> &outStream, int vSize) {
mem_wr:
  for (int i = 0; i < vSize; i++) {
#pragma HLS LOOP_TRIPCOUNT min = c_size max = c_size
    out[i] = outStream.read();
  }
}
extern "C" {
void adder(unsigned int *in, unsigned int *out, int inc, int size) {
#pragma HLS INTERFACE m_axi port = in bundle = gmem0
#pragma HLS INTERFACE m_axi port = out bundle = gmem1
  static hls::stream<unsigned int> inStream("input_stream");
  static hls::stream<unsigned int> outStream("output_stream");
#pragma HLS STREAM variable = inStream depth = 32
#pragma HLS dataflow
  read_input(in, inStream, size);
  compute_add(inStream, outStream, inc, size);
  write_result(out, outStream, size);
}
void adder_top(unsigned int in[DATA_SIZE], unsigned int out[DATA_SIZE]) { adder(in, out, 7, DATA_SIZE); }
}
