#include "ap_fixed.h"

namespace cfg {
constexpr int TAPS = 12;
constexpr int L = 3;
constexpr int PHASE = TAPS / L;
using coef_t = ap_fixed<16, 1, AP_RND, AP_SAT>;
using data_t = ap_fixed<16, 2>;
using acc_t = ap_fixed<36, 6>;
}
using namespace cfg;

void interp(const data_t x[32], data_t y[32 * L]) {
    static const coef_t h[TAPS] = {0.01, -0.02, 0.05, 0.11, 0.2, 0.31, 0.31, 0.2, 0.11, 0.05, -0.02, 0.01};
    static data_t sr[PHASE] = {0};
#pragma HLS ARRAY_PARTITION variable=sr complete

    for (int n = 0; n < 32; n++) {
        for (int k = PHASE - 1; k; k--)
            sr[k] = sr[k - 1];
        sr[0] = x[n];
        for (int p = 0; p < L; p++) {
#pragma HLS PIPELINE II=1
            acc_t acc = 0;
            for (int k = 0; k < PHASE; k++)
                acc += h[k * L + p] * sr[k];
            y[n * L + p] = acc * acc_t(L);
        }
    }
}
