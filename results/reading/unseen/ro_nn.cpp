#include <math.h>
#include <hls_math.h>
#include "ap_int.h"
typedef ap_uint<64> wide_t;
const int NUM = 64, LANES = 2;
typedef union { unsigned int i; float f; } word;

extern "C" void nearest(wide_t loc[NUM], float lat, float lng, float out[NUM], float *smallest) {
#pragma HLS interface m_axi port=loc bundle=gmem0
  float low = 1e30f;
main:
  for (int n = 0; n < NUM; n++) {
#pragma HLS pipeline
    word a, b;
    a.i = loc[n].range(31, 0).to_uint();
    b.i = loc[n](63, 32).to_uint();
    float x = (float)(int)(a.i & 0xffff) - lat, y = (float)(int)(b.i >> 16) - lng;
    out[n] = hls::sqrt(x * x + y * y);
    low = (out[n] < low) ? out[n] : low;
  }
  *smallest = low;
}
