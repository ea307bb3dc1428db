#include "hls_math.h"
#include <cmath>
#include <cfloat>

#define DIM 16
typedef float real_t;

static const real_t window[DIM / 2] = {0.0f, 0.04f, 0.12f, 0.25f, 0.4f, 0.6f, 0.8f, 1.0f};

inline real_t safe_div(real_t a, real_t b) {
    return std::fabs(b) < FLT_EPSILON ? real_t(0) : a / b;
}

void polar(const real_t re[DIM], const real_t im[DIM], real_t mag[DIM], real_t norm_re[DIM], real_t stats[2]) {
    real_t top = -FLT_MAX, energy = 0;
    real_t mag_buf[DIM];
polar_loop:
    for (int i = 0; i < DIM; i++) {
#pragma HLS loop_tripcount min=16 max=16
        const int w = i < DIM / 2 ? i : DIM - 1 - i;
        const real_t wr = re[i] * window[w];
        const real_t wi = im[i] * window[w];
        const real_t p = hls::fmaf(wr, wr, wi * wi);
        mag[i] = mag_buf[i] = hls::sqrtf(p);
        top = fmaxf(top, hls::fabs(mag[i]));
        energy += p;
    }
    real_t mean = 0;
    for (real_t m : mag_buf) {
        mean += m;
    }
    stats[0] = top - mean / DIM;
    stats[1] = 10.0f * log10f(energy + 1.0f);
    for (int i = 0; i < DIM; i++) {
        norm_re[i] = floorf(safe_div(re[i], top) * 128.0f) + copysignf(0.5f, re[i]);
    }
}
