#include "ap_int.h"
#include <cassert>
#define N 32
typedef ap_int<8> din_t;
typedef ap_int<13> dout_t;
typedef ap_uint<5> dsel_t;

dout_t code028(din_t A[N], dsel_t width) {
    dout_t out_accum = 0;
    dsel_t x;
    assert(width < N);
LOOP_X:
    for (x = 0; x < N - 1; x++) {
        if (x < width) {
            out_accum += A[x];
        }
    }
    return out_accum;
}
