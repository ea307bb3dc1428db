/* run: generic(float x[16], int w[16], float y[16], int z[16]) */
#include "hls_vector.h"

namespace lib {
template <typename T, int N> void shifted(T x[N], const T by) {
  for (int i = 0; i < N; i++)
    x[i] = x[i] + by;
}
template <int N = 4, typename T = int> struct ring {
  T data[N];
  T last;
};
} // namespace lib

template <typename T> T larger(T a, T b) { return a > b ? a : b; }

template <typename T, int N> void load(T (&out)[N], const T *in) {
  for (int i = 0; i < N; i++)
    out[i] = in[i];
  lib::shifted<T, N>(out, 1);
}

template <int N, typename T, typename S>
void sums(T (&out)[N], const S (&a)[N], const S (&b)[N]) {
  for (int i = 0; i < N; ++i)
    out[i] = a[i] * b[i] + a[i] - 2;
}

constexpr int HALF = 8;
using quad = hls::vector<float, 4>;

void generic(float x[16], int w[16], float y[16], int z[16]) {
  float a[2 * HALF];
  int b[16];
  quad left[2], right[2], found[2];
  lib::ring<HALF> ring;
  load(a, x);
  load<int, HALF * 2>(b, w);
  for (int i = 0; i < 2; i++)
    for (int k = 0; k < 4; k++) {
      left[i][k] = a[i * 4 + k];
      right[i][k] = a[8 + i * 4 + k];
    }
  sums(found, left, right);
  ring.last = 7;
  for (int i = 0; i < HALF; i++)
    ring.data[i] = larger(b[i], b[15 - i]);
  for (int i = 0; i < 16; i++) {
    y[i] = larger<float>(found[i % 8 / 4][i % 4], a[i]);
    z[i] = ring.data[i % HALF] + ring.last;
  }
}
