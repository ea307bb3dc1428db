#include <hls_vector.h>
#include <hls_stream.h>
#include <cstdint>
constexpr int W = 8;
constexpr int BLOCKS = 6;
using vec = hls::vector<int16_t, W>;
template <typename T> void copy_in(const T *src, hls::stream<T> &dst, int n) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    dst.write(src[i]);
  }
}
template <typename T, int SHIFT> void mix(hls::stream<T> &a, hls::stream<T> &b, hls::stream<T> &o, int n) {
  for (int i = 0; i < n; ++i) {
#pragma HLS pipeline II=1
    T x = a.read(), y = b.read();
    T z = x * y;
    z += x;
    for (auto k = 0; k < W; ++k) z[k] = z[k] >> SHIFT;
    o.write(z);
  }
}
void dot(hls::stream<vec> &in, int32_t out[BLOCKS], int n) {
  for (int i = 0; i < n; ++i) {
    const vec v = in.read();
    int32_t s = 0;
  reduce:
    for (int k = 0; k < W; ++k) {
#pragma HLS unroll
      s += v[k];
    }
    out[i] = s;
  }
}
void vecs(const vec a[BLOCKS], const vec b[BLOCKS], int32_t out[BLOCKS]) {
#pragma HLS dataflow
  hls::stream<vec> sa, sb, sm;
  copy_in(a, sa, BLOCKS);
  copy_in(b, sb, BLOCKS);
  mix<vec, 2>(sa, sb, sm, BLOCKS);
  dot(sm, out, BLOCKS);
}
