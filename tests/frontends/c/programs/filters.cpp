/* run: filters(int x[32], int y[32], uint8_t z[16], int w[16]) */
#include "ap_int.h"

template <typename T, int N> class smooth {
  T last[N];

public:
  smooth() {
    for (int i = 0; i < N; i++)
      last[i] = 0;
  }
  T operator()(T x, int gain) {
    T sum = x;
    for (int i = N - 1; i > 0; i--) {
      last[i] = last[i - 1];
      sum += last[i] * gain;
    }
    last[0] = x;
    return sum;
  }
};

static int peak(int x, int limit) {
  int twice = 2 * x;
  if (twice < 0)
    twice = -twice;
  return twice > limit ? limit : twice;
}

void filters(int x[32], int y[32], uint8_t z[16], int w[16]) {
  smooth<int, 4> near;
  for (int i = 0; i < 32; i++)
    y[i] = near(x[i], 2) + ap_int<9>(x[i]);
  unsigned char n = 16;
  while (n--)
    z[n] = (x[n] > 3 && peak(x[n], 90) > 40) ? 7 : n;
  int m = 17;
  while (--m) {
    ap_int<12> part = x[m - 1];
    w[m - 1] = (part * 3).to_int() * 2 + n;
  }
}
