#include <stdint.h>
void histogram(const uint8_t in[256], uint32_t hist[32]) {
  int i, val, old = -1;
  uint32_t acc = 0;
  for (i = 0; i < 32; i++) hist[i] = 0;
  for (i = 0; i < 256; i++) {
#pragma HLS DEPENDENCE variable=hist intra RAW false
    val = in[i] >> 3;
    if (old == val) {
      acc = acc + 1;
    } else {
      if (old >= 0) hist[old] = acc;
      acc = hist[val] + 1;
    }
    old = val;
  }
  hist[old] = acc;
}
