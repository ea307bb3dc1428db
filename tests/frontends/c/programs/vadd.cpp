/* run: vadd(uint32_t in1[32], uint32_t in2[32], uint32_t out[32], int size = 32) */
#include <stdint.h>
#define DATA_SIZE 32
const int c_size = DATA_SIZE;

static void load(uint32_t* in, uint32_t buffer[DATA_SIZE], int size) {
mem_rd:
    for (int i = 0; i < size; i++) {
#pragma HLS LOOP_TRIPCOUNT min = c_size max = c_size
        buffer[i] = in[i];
    }
}
static void store(uint32_t* out, uint32_t buffer[DATA_SIZE], int size) {
    for (int i = 0; i < size; i++)
        out[i] = buffer[i];
}
extern "C" {
void vadd(uint32_t* in1, uint32_t* in2, uint32_t* out, int size) {
#pragma HLS INTERFACE m_axi port = in1 bundle = gmem0
    uint32_t a[DATA_SIZE], b[DATA_SIZE], c[DATA_SIZE];
    load(in1, a, size);
    load(in2, b, size);
    for (int i = 0; i < size; i++) c[i] = a[i] + b[i];
    store(out, c, size);
}
}
