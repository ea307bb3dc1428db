#include <string.h>
#define BUFFER_SIZE 16
#define DATA_SIZE 64
/* a vector addition by blocks; each buffer has two ports, so two elements a cycle */
extern "C" void vadd(const unsigned int *in1, const unsigned int *in2, unsigned int *out_r, int size) {
#pragma HLS INTERFACE m_axi port=in1 offset=slave bundle=gmem
  unsigned int v1_buffer[BUFFER_SIZE];
  unsigned int v2_buffer[BUFFER_SIZE];
  unsigned int vout_buffer[BUFFER_SIZE];
  for (int i = 0; i < size; i += BUFFER_SIZE) {
    int chunk_size = BUFFER_SIZE;
    if ((i + BUFFER_SIZE) > size) chunk_size = size - i;
  v1_rd:
    for (int j = 0; j < chunk_size; j++) v1_buffer[j] = in1[i + j];
  v2_rd_add:
    for (int j = 0; j < chunk_size; j++) {
#pragma HLS PIPELINE II = 1
#pragma HLS UNROLL FACTOR = 2
      vout_buffer[j] = v1_buffer[j] + in2[i + j];
    }
  out_write:
    for (int j = 0; j < chunk_size; j++) out_r[i + j] = vout_buffer[j];
  }
}
extern "C" void vadd_top(const unsigned int a[DATA_SIZE + 6], const unsigned int b[DATA_SIZE + 6], unsigned int c[DATA_SIZE + 6]) {
  vadd(a, b, c, DATA_SIZE + 6);
}
