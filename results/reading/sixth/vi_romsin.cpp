#include <math.h>
#include "ap_fixed.h"
typedef short din1_t;
typedef ap_fixed<24, 12> dout_t;

static void init_sin_table(din1_t table[64]) {
    int i;
    for (i = 0; i < 64; i++) {
        double real_val = sin(M_PI * (double)(i - 32) / 64);
        table[i] = (din1_t)(32768.0 * real_val);
    }
}

dout_t lookup_math(const ap_uint<6> n[16], din1_t inval[16], dout_t out[16]) {
    din1_t sin_table[64];
    dout_t total = 0;
    init_sin_table(sin_table);
    for (int k = 0; k < 16; k++) {
        out[k] = (dout_t)((inval[k] * sin_table[4 * k + 1]) >> 15);
        total += out[k];
    }
    return total;
}
