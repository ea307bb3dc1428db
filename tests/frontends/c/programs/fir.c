/* run: fir(int16_t x[40], int32_t y[40]) */
#include <stdint.h>
#define TAPS 8
#define SAMPLES 40
typedef int16_t data_t;
typedef int32_t acc_t;

void fir(data_t x[SAMPLES], acc_t y[SAMPLES])
{
    const data_t c[TAPS] = {3, -5, 11, 127, 127, 11, -5, 3};
    data_t shift[TAPS] = {0};
#pragma HLS ARRAY_PARTITION variable = shift complete
    for (int n = 0; n < SAMPLES; n++) {
        acc_t acc = 0;
    taps:
        for (int i = TAPS - 1; i >= 0; i--) {
#pragma HLS UNROLL
            if (i == 0) {
                shift[0] = x[n];
                acc += x[n] * c[0];
            } else {
                shift[i] = shift[i - 1];
                acc += shift[i] * c[i];
            }
        }
        y[n] = acc;
    }
}
