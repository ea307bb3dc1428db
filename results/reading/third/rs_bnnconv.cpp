/* a binary convolution of one image, its words packed by channel */
#include "ap_int.h"
#define CH 16
#define SIDE 8
#define K 3
#define OUT 4
typedef ap_uint<CH> word;

inline ap_int<8> pop(word w) {
#pragma HLS INLINE
  ap_int<8> n = 0;
  for (int i = 0; i < CH; i++) {
#pragma HLS UNROLL
    n += w[i];
  }
  return n;
}
template <int IC, int S, int O> void bin_conv(word in[S][S], word weight[O][K][K], ap_int<16> out[O][S][S]) {
  for (int o = 0; o < O; o++)
    for (int r = 0; r < S; r++)
      for (int c = 0; c < S; c++) {
        ap_int<16> acc = 0;
        for (int kr = 0; kr < K; kr++)
          for (int kc = 0; kc < K; kc++) {
            int rr = r + kr - K / 2, cc = c + kc - K / 2;
            if (rr >= 0 && rr < S && cc >= 0 && cc < S) {
              word x = ~(in[rr][cc] ^ weight[o][kr][kc]);
              acc += 2 * pop(x) - IC;
            }
          }
        out[o][r][c] = acc;
      }
}
void conv_top(word in[SIDE][SIDE], word weight[OUT][K][K], ap_int<16> out[OUT][SIDE][SIDE]) {
  bin_conv<CH, SIDE, OUT>(in, weight, out);
}
