#include <ap_int.h>
#include <algorithm>
#include <array>
constexpr int LANES = 4;
using lane_t = ap_int<12>;
template <typename T, std::size_t N> using vec = std::array<T, N>;

template <typename F> void each(F f) {
  for (int i = 0; i < LANES; ++i) {
#pragma HLS UNROLL
    f(i);
  }
}
void scale(const lane_t x[32], lane_t y[32], const lane_t gain[LANES]) {
  vec<lane_t, LANES> g;
  each([&](int i) { g[i] = gain[i]; });
  for (int n = 0; n < 32 / LANES; n++) {
#pragma HLS PIPELINE II = 1
    lane_t total = 0;
    for (auto v : g) total += v;
    auto clip = [](int v) { return v > 2047 ? 2047 : v < -2048 ? -2048 : v; };
    each([&](int i) { y[n * LANES + i] = clip(x[n * LANES + i] * g[i] + total); });
  }
}
