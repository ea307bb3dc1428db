#include <stdlib.h>
#include <math.h>
#define FFT_SIZE 32
void fft(double real[FFT_SIZE], double img[FFT_SIZE], double real_twid[FFT_SIZE / 2], double img_twid[FFT_SIZE / 2]);
