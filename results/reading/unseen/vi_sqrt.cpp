#include "ap_fixed.h"
#include "ap_int.h"
typedef ap_ufixed<24, 16> in_t;
typedef ap_ufixed<16, 8> out_t;
// restoring square root, one bit of the result in each step
static out_t fxp_sqrt(in_t v) {
  ap_uint<24> bits = v.range(23, 0);
  ap_uint<32> rem = ap_uint<32>(bits) << 8;
  ap_uint<32> root = 0;
  for (int i = 15; i >= 0; i--) {
#pragma HLS unroll
    ap_uint<32> trial = (root << (i + 1)) + (ap_uint<32>(1) << (2 * i));
    if (trial <= rem) {
      rem -= trial;
      root += ap_uint<32>(1) << i;
    }
  }
  out_t r;
  r.range(15, 0) = root.range(15, 0);
  return r;
}
void sqrt_top(in_t x[32], out_t y[32]) {
  for (int i = 0; i < 32; i++) {
#pragma HLS pipeline II=1
    y[i] = fxp_sqrt(x[i]);
  }
}
