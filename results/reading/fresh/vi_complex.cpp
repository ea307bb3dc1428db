#include <complex>
#include "hls_stream.h"
typedef float data_t;
typedef std::complex<data_t> cmpx_t;
#define LEN 32
#define TAPS 5

void cfir(const cmpx_t x[LEN], const cmpx_t h[TAPS], cmpx_t y[LEN], data_t power[LEN]) {
  cmpx_t line[TAPS];
#pragma HLS ARRAY_PARTITION variable=line complete
  for (int i = 0; i < TAPS; i++) line[i] = cmpx_t(0, 0);
  for (int n = 0; n < LEN; n++) {
#pragma HLS PIPELINE II=1
    for (int i = TAPS - 1; i > 0; i--) line[i] = line[i - 1];
    line[0] = x[n];
    cmpx_t acc(0.0f, 0.0f);
    for (int i = 0; i < TAPS; i++) acc += line[i] * h[i];
    y[n] = acc;
    power[n] = acc.real() * acc.real() + acc.imag() * acc.imag();
  }
}
