/* A 32-tap FIR filter over 4096 samples of 16 bits. */
#include <stdint.h>

#define SAMPLES 4096
#define TAPS 32

void fir(const int16_t x[SAMPLES + TAPS - 1], const int16_t h[TAPS], int32_t y[SAMPLES])
{
    for (int n = 0; n < SAMPLES; n++) {
        int32_t sum = 0;
        for (int t = 0; t < TAPS; t++)
            sum += h[t] * x[n + TAPS - 1 - t];
        y[n] = sum;
    }
}
