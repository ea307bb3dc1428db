#include "ap_int.h"
#define N 11
#define SAMPLES 40
typedef ap_int<18> coef_t;
typedef ap_int<16> data_t;
typedef ap_int<40> acc_t;

template <int TAPS> acc_t fir_step(data_t x, const coef_t (&c)[TAPS], data_t (&shift_reg)[TAPS]) {
#pragma HLS INLINE
  acc_t acc = 0;
Shift_Accum_Loop:
  for (int i = TAPS - 1; i >= 0; i--) {
#pragma HLS UNROLL
    if (i == 0) {
      acc += x * c[0];
      shift_reg[0] = x;
    } else {
      shift_reg[i] = shift_reg[i - 1];
      acc += shift_reg[i] * c[i];
    }
  }
  return acc;
}

void fir(acc_t y[SAMPLES], const coef_t c[N], const data_t x[SAMPLES]) {
#pragma HLS INTERFACE mode=ap_memory port=x
  static data_t shift_reg[N];
  coef_t local[N];
  for (int i = 0; i < N; ++i) local[i] = c[i];
  for (int n = 0; n < SAMPLES; ++n) y[n] = fir_step<N>(x[n], local, shift_reg);
}
