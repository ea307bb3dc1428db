#include <stdint.h>
#include <ap_int.h>

#define N 32

union fp_bits {
    float f;
    uint32_t u;
};

static float clear_sign(float v) {
#pragma HLS INLINE
    fp_bits b;
    b.f = v;
    b.u &= 0x7fffffffu;
    return b.f;
}

void abs_bits(ap_uint<32> in[N], float out[N], uint8_t exponent[N]) {
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE
        fp_bits b;
        b.u = in[i].to_uint();
        out[i] = clear_sign(b.f);
        exponent[i] = (b.u >> 23) & 0xff;
    }
}
