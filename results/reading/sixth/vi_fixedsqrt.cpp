#include "ap_int.h"
typedef ap_uint<16> in_t;
typedef ap_uint<8> out_t;

out_t isqrt(in_t num) {
    out_t result = 0;
    ap_uint<4> i;
    in_t op = num;
    in_t res = 0;
    in_t one = 1 << 14;
ITER:
    for (i = 0; i < 8; i++) {
#pragma HLS UNROLL
        if (op >= res + one) {
            op = op - (res + one);
            res = res + 2 * one;
        }
        res >>= 1;
        one >>= 2;
    }
    result = res;
    return result;
}

void fxp_sqrt_top(in_t x[20], out_t y[20]) {
    for (int n = 0; n < 20; n++)
#pragma HLS PIPELINE
        y[n] = isqrt(x[n]);
}
