#include <ap_fixed.h>
#include <ap_int.h>
typedef ap_fixed<20, 3> THETA_TYPE;
typedef ap_fixed<20, 3> COS_SIN_TYPE;
#define NUM_ITERATIONS 12
static const THETA_TYPE cordic_phase[NUM_ITERATIONS] = {0.78539816339744828000, 0.46364760900080609000,
  0.24497866312686414000, 0.12435499454676144000, 0.06241880999595735000, 0.03123983343026827700,
  0.01562372862047683100, 0.00781234106010111120, 0.00390623013196697180, 0.00195312251647881880,
  0.00097656218955931946, 0.00048828121119489829};

void cordic(THETA_TYPE theta, COS_SIN_TYPE &s, COS_SIN_TYPE &c) {
  COS_SIN_TYPE current_cos = 0.60735;
  COS_SIN_TYPE current_sin = 0.0;
  for (int j = 0; j < NUM_ITERATIONS; j++) {
#pragma HLS UNROLL
    COS_SIN_TYPE cos_shift = current_cos >> j;
    COS_SIN_TYPE sin_shift = current_sin >> j;
    if (theta >= 0) {
      current_cos = current_cos - sin_shift;
      current_sin = current_sin + cos_shift;
      theta = theta - cordic_phase[j];
    } else {
      current_cos = current_cos + sin_shift;
      current_sin = current_sin - cos_shift;
      theta = theta + cordic_phase[j];
    }
  }
  s = current_sin;
  c = current_cos;
}

void rotate(THETA_TYPE theta[24], COS_SIN_TYPE s[24], COS_SIN_TYPE c[24]) {
  for (int i = 0; i < 24; i++) cordic(theta[i], s[i], c[i]);
}
