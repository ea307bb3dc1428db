#include "hls_streamofblocks.h"
#define N 8
#define NUM_BLOCKS 4
typedef int block_data_t[N];

void proc1(int *in, hls::stream_of_blocks<block_data_t> &out1, hls::stream_of_blocks<block_data_t> &out2) {
  for (int b = 0; b < NUM_BLOCKS; b++) {
    hls::write_lock<block_data_t> arr1(out1);
    hls::write_lock<block_data_t> arr2(out2);
    for (unsigned i = 0; i < N; ++i) {
      arr1[i] = in[b * N + i] + 1;
      arr2[i] = in[b * N + i] * 2;
    }
  }
}
void proc4(hls::stream_of_blocks<block_data_t> &in1, hls::stream_of_blocks<block_data_t> &in2, int *out) {
  for (int b = 0; b < NUM_BLOCKS; b++) {
    hls::read_lock<block_data_t> arr1(in1);
    hls::read_lock<block_data_t> arr2(in2);
    for (unsigned i = 0; i < N; ++i) out[b * N + i] = arr1[i] + arr2[N - 1 - i];
  }
}
void diamond(int vecIn[NUM_BLOCKS * N], int vecOut[NUM_BLOCKS * N]) {
  hls::stream_of_blocks<block_data_t> c1, c2;
#pragma HLS dataflow
  proc1(vecIn, c1, c2);
  proc4(c1, c2, vecOut);
}
