/* run: mathematics(float x[16], double y[16], float a[16], double b[16], int c[16]) */
#include <math.h>

static float remainder_of(float v) { return fmodf(v, 0.75f); }

void mathematics(float x[16], double y[16], float a[16], double b[16], int c[16]) {
  for (int i = 0; i < 16; i++) {
    float v = fabsf(x[i]);
    a[i] = remainder_of(x[i]) + copysignf(2.0f, x[i]) + fdimf(x[i], 0.2f) + fmaf(v, v, 1.1f);
    b[i] = trunc(y[i] * 3) + round(y[i] * 4) + nearbyint(y[i] * 5) + fmod(y[i], 0.3);
    b[i] += fma(y[i], y[i], -0.3) + hypot(y[i], 3.0) + atan2(y[i], 2.0) + cbrt(y[i]);
    c[i] = lround(y[i] * 7) + isnan(x[i]) + 2 * isinf(y[i]) + 4 * isfinite(x[i]);
    c[i] += (signbit(x[i]) != 0) * 8 + lrint(y[i] * 2);
  }
}
