/* run: unsigned_numbers(int x[32], int y[32], int z[32], int w[32], int v[32]) */
#include "ap_fixed.h"
typedef ap_fixed<24, 12> given;
typedef ap_ufixed<10, 6> plain;
typedef ap_ufixed<8, 6, AP_RND, AP_SAT> kept;
typedef ap_ufixed<6, 9> coarse;

plain halved(plain x) { return x * (given)0.5; }

void unsigned_numbers(int x[32], int y[32], int z[32], int w[32], int v[32]) {
  const plain constant = -1.25;
  const kept most = 400.5;
  for (int i = 0; i < 32; i++) {
    given number = (given)(x[i] - 50) + (given)0.375;
    plain p = number;
    p += (given)2.75;
    kept k = number - p;
    coarse c = number * 16;
    y[i] = (int)(halved(p) * 16) + (int)(constant * 16);
    z[i] = (int)(k * 4) + (int)(most * 4);
    w[i] = (int)c;
    v[i] = (int)(p << 2) + (p > k ? 1 : 0);
  }
}
