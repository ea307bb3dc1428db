/* run: batches(int x[64], float u[32], float v[32], int y[32], int z[64], float w[32]) */
#include "ap_int.h"
#include "hls_stream.h"
#include "hls_vector.h"
#include <complex>

typedef std::complex<float> cplx;
typedef hls::vector<int, 4> quad;

template <unsigned DIM, unsigned POOL>
void pool(hls::stream<int> &in, hls::stream<int> &out) {
  int row[DIM / POOL];
  for (unsigned i = 0; i < DIM / POOL; i++)
    row[i] = 0;
  for (unsigned y = 0; y < DIM / POOL; y++) {
    for (unsigned k = 0; k < POOL; k++)
      for (unsigned x = 0; x < DIM / POOL; x++) {
        int most = row[x];
        for (unsigned j = 0; j < POOL; j++)
          most = most | in.read();
        row[x] = most;
      }
    for (unsigned x = 0; x < DIM / POOL; x++) {
      out.write(row[x]);
      row[x] = 0;
    }
  }
}
template <int N, typename T> void shift(T window[N], T next) {
  for (int i = 0; i < N - 1; i++)
    window[i] = window[i + 1];
  window[N - 1] = next;
}
template <typename T> void copy(const T *from, hls::stream<T> &to, int count) {
  for (int i = 0; i < count; ++i)
    to.write(from[i]);
}
static ap_uint<4> signs(const int x[64], int at) {
  ap_uint<4> found;
  for (int k = 0; k < 4; k++)
    found[k] = x[at + k] > 0;
  return found;
}
template <typename T, unsigned DEPTH> T mean(const T x[64], int at) {
  ap_int<40> sum = 0;
  for (unsigned i = 0; i < DEPTH; i++)
    sum += x[at + i];
  return sum / DEPTH;
}

void batches(int x[64], float u[32], float v[32], int y[32], int z[64], float w[32]) {
  hls::stream<int> in, out;
  hls::stream<quad> vectors;
  quad rows[8];
  cplx sum(0, 1), taps[16];
  int window[5] = {0};
  for (int i = 0; i < 32; i++)
    in.write(x[i]);
  for (int n = 0; n < 2; n++)
    pool<4, 2>(in, out);
  for (int i = 0; i < 8; i++) {
    y[i] = out.read();
    for (int k = 0; k < 4; k++)
      rows[i][k] = x[4 * i + k];
  }
  copy(rows, vectors, 8);
  for (int i = 0; i < 8; i++) {
    const quad now = vectors.read();
    y[8 + i] = now[0] + now[3];
    y[16 + i] = signs(x, 4 * i);
    y[24 + i] = mean<int, 8>(x, 4 * i);
  }
  unsigned column = 0, row = 0, total = 0;
  for (int i = 0; i < 64; i++) {
    shift<5>(window, x[i]);
    total += window[2];
    z[i] = total + 16 * row + column;
    if (++column == 8) {
      column = 0;
      ++row;
    }
  }
  for (int i = 0; i < 16; i++) {
    taps[i] = cplx(u[2 * i], u[2 * i + 1]);
    sum += taps[i] * cplx(v[2 * i]);
    w[2 * i] = sum.real();
    w[2 * i + 1] = -sum.imag();
  }
}
