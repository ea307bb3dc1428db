#include <cstring>
#define SIGNAL_SIZE 48
#define N_COEFF 11
extern "C" {
void fir_shift_register(const int *signal_in, const int *coeff, int *output_r, int signal_length) {
#pragma HLS INTERFACE m_axi port=signal_in bundle=gmem0 depth=48
#pragma HLS INTERFACE m_axi port=coeff bundle=gmem1 depth=11
#pragma HLS INTERFACE m_axi port=output_r bundle=gmem0
  int coeff_reg[N_COEFF];
#pragma HLS ARRAY_PARTITION variable=coeff_reg complete dim=0
read_coef:
  for (int i = 0; i < N_COEFF; i++) coeff_reg[i] = coeff[i];

  int shift_reg[N_COEFF];
#pragma HLS ARRAY_PARTITION variable=shift_reg complete dim=0
init_loop:
  for (int i = 0; i < N_COEFF; i++) shift_reg[i] = 0;

outer_loop:
  for (int j = 0; j < signal_length; j++) {
#pragma HLS PIPELINE II=1
    int acc = 0;
    int x = signal_in[j];
  shift_loop:
    for (int i = N_COEFF - 1; i >= 0; i--) {
      if (i == 0) {
        acc += x * coeff_reg[0];
        shift_reg[0] = x;
      } else {
        shift_reg[i] = shift_reg[i - 1];
        acc += shift_reg[i] * coeff_reg[i];
      }
    }
    output_r[j] = acc;
  }
}
void fir_top(const int signal_in[SIGNAL_SIZE], const int coeff[N_COEFF], int output_r[SIGNAL_SIZE]) {
  fir_shift_register(signal_in, coeff, output_r, SIGNAL_SIZE);
}
}
