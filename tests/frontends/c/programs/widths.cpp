/* run: widths(int x[16], uint32_t y[16], int z[16], int64_t p[16], uint32_t q[4]) */
#include "ap_int.h"
typedef ap_uint<8> byte;

static int ones(ap_uint<49> x) {
  int count = 0;
  for (int i = 0; i < 49; i++)
    count += x[i];
  return count;
}

void widths(int x[16], unsigned y[16], int z[16], int64_t p[16], unsigned q[4]) {
  ap_int<12> small[16];
  ap_uint<32> word = 0;
  byte bytes[16];
  for (int i = 0; i < 16; i++) {
    small[i] = x[i] * 77;
    bytes[i] = y[i] * 5;
  }
  for (int i = 0; i < 16; i++) {
    ap_uint<5> low = small[i];
    ap_int<33> product = small[i] * bytes[i];
    ap_uint<32> large = y[i] * 90000000;
    ap_uint<40> sum = large + large;
    ap_uint<49> spread = (ap_uint<49>)sum << 9;
    z[i] = low + ones(spread) - product / 7 + (small[i] > bytes[i] ? 1 : 0);
    p[i] = sum * small[i] + (ap_int<7>)x[i];
  }
  for (int i = 0; i < 4; i++) {
    word(7, 0) = bytes[4 * i];
    word.range(15, 8) = bytes[4 * i + 1];
    word.range(8 * 2 + 7, 8 * 2) = bytes[4 * i + 2];
    word(31, 24) = word(7, 0) ^ bytes[4 * i + 3];
    word[3] = 1;
    q[i] = word;
  }
}
