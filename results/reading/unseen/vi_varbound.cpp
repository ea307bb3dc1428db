#include "ap_int.h"
#include <cassert>
#define N 32
typedef ap_int<8> din_t;
typedef ap_int<13> dout_t;
typedef ap_uint<5> dsel_t;
enum Mode { SUM, MAXIMUM, COUNT };

dout_t code(din_t A[N], dsel_t width, Mode mode) {
  dout_t out_accum = 0;
  dsel_t x;
  assert(width < N);
  switch (mode) {
    case MAXIMUM:
      out_accum = -128;
      break;
    case SUM:
    case COUNT:
    default:
      break;
  }
LOOP_X:
  for (x = 0; x < N - 1; x++) {
    if (x < width) {
      switch (mode) {
        case SUM: out_accum += A[x]; break;
        case MAXIMUM: if (A[x] > out_accum) out_accum = A[x]; break;
        case COUNT: out_accum += (A[x] > 0); break;
      }
    }
  }
  return out_accum;
}
