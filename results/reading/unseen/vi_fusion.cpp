#include "ap_int.h"
// do-while, downward loop, goto-free early exit on a constant, comma in for, and a conditional loop step by shift
void loops(ap_int<16> a[64], ap_int<16> b[64], ap_int<32> out[8], int stages[64]) {
  int i = 0;
  do {
    a[i] = a[i] + b[63 - i];
    i++;
  } while (i < 64);
  for (int n = 8; n-- > 0;) {
    ap_int<32> acc = 0;
    for (int lo = 0, hi = 7; lo < hi; lo++, hi--) acc += a[n * 8 + lo] * a[n * 8 + hi];
    out[n] = acc;
  }
  for (int j = 0; j < 64; j++) stages[j] = a[j];
  for (int span = 32; span; span >>= 1)
    for (int j = 0; j < 64; j++)
      if ((j & span) == 0) {
        int t = stages[j], u = stages[j + span];
        stages[j] = t + u;
        stages[j + span] = t - u;
      }
}
