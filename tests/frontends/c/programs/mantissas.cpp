/* run: mantissas(int x[16], int y[16], int z[16]) */
#include "ap_fixed.h"
typedef ap_fixed<18, 8> pixel;
typedef ap_fixed<12, 6, AP_RND, AP_SAT> small;

void mantissas(int x[16], int y[16], int z[16]) {
  const pixel taps[3] = {0.25, -0.5, 1.125};
  const pixel factor = -1.25;
  pixel line[16];
  for (int i = 0; i < 16; i++)
    line[i] = (pixel)(x[i] - 50) + (pixel)0.375;
  for (int i = 0; i < 16; i++) {
    pixel sum = 0;
    for (int k = 0; k < 3; k++)
      if (i + k < 16)
        sum += line[i + k] * taps[k];
    small kept = sum * 3;
    ap_fixed<40, 20> product = kept * sum;
    y[i] = (int)(product * 8) + (int)(taps[1] * factor * 64);
    z[i] = sum > kept ? (int)kept : 100;
  }
}
