#include <cstddef>
#include "ap_int.h"
typedef ap_int<2> TwoBit;
typedef ap_uint<1> Bit;
typedef ap_int<12> ConvOut;
const unsigned K = 3;
const unsigned W = 8;
const unsigned CH = 4;

static inline TwoBit encode_bit(const Bit& b) {
#pragma HLS INLINE
  return (b == 0) ? TwoBit(1) : TwoBit(-1);
}

template <unsigned PAD>
static ConvOut conv3x3b(const TwoBit line_buffer[K][W + 2 * PAD], const Bit conv_params[K][K], const unsigned col) {
  ConvOut sum = 0;
  KR: for (ap_uint<2> kr = 0; kr < K; ++kr) {
    KC: for (ap_uint<2> kc = 0; kc < K; ++kc) {
      TwoBit data = line_buffer[kr][col + kc];
      const Bit& wt = conv_params[2 - kr][2 - kc];
      if (wt == 1) sum -= data; else sum += data;
    }
  }
  return sum;
}

extern "C" void bin_conv(Bit wt[CH][K][K], Bit in[CH][W][W], ConvOut threshold, Bit out[W][W]) {
  ConvOut fixed_buffer[W][W];
  TwoBit lines[K][W + 2];
  for (unsigned r = 0; r < W; ++r)
    for (unsigned c = 0; c < W; ++c)
      fixed_buffer[r][c] = 0;
  LOOP_CH: for (unsigned m = 0; m < CH; ++m) {
    LOOP_ROW: for (unsigned r = 0; r < W; ++r) {
      for (unsigned k = 0; k < K; ++k)
        for (unsigned c = 0; c < W + 2; ++c) {
          int row = (int)r + (int)k - 1, column = (int)c - 1;
          bool is_pad = row < 0 || row >= (int)W || column < 0 || column >= (int)W;
          lines[k][c] = is_pad ? TwoBit(0) : encode_bit(in[m][row][column]);
        }
      for (unsigned c = 0; c < W; ++c)
        fixed_buffer[r][c] += conv3x3b<1>(lines, wt[m], c);
    }
  }
  for (unsigned r = 0; r < W; ++r)
    for (unsigned c = 0; c < W; ++c)
      out[r][c] = fixed_buffer[r][c] >= threshold ? Bit(0) : Bit(1);
}
