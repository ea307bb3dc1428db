#include <algorithm>
#include <cmath>
typedef struct { float re, im; } cplx;
inline cplx operator*(cplx a, cplx b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
inline cplx operator+(const cplx &a, const cplx &b) { cplx r; r.re = a.re + b.re; r.im = a.im + b.im; return r; }
static const int N = 8;
void beamform(const cplx steer[N][N], const cplx in[N][32], float power[N], cplx out[N][32]) {
#pragma HLS interface m_axi port=steer bundle=g0
#pragma HLS interface m_axi port=in bundle=g1
#pragma HLS interface m_axi port=out bundle=g2
  for (int b = 0; b < N; b++) {
    float p = 0;
    for (int t = 0; t < 32; t++) {
      cplx acc = {0, 0};
      for (int e = 0; e < N; e++) acc = acc + steer[b][e] * in[e][t];
      out[b][t] = acc;
      p += acc.re * acc.re + acc.im * acc.im;
    }
    power[b] = std::max(p / 32.0f, 1e-3f);
  }
}
