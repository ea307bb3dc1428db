#include <ap_int.h>
#include <hls_stream.h>
namespace bnn {
const unsigned CH = 32, OUTS = 4, W = 8, K = 3;
typedef ap_uint<CH> Word;
typedef ap_int<12> Acc;
struct Thresh { Acc t; bool invert; };
}
using namespace bnn;

template <unsigned N> ap_uint<8> ones(ap_uint<N> v) {
#pragma HLS inline
  ap_uint<8> c = 0;
  for (unsigned b = 0; b < N; b++)
#pragma HLS unroll
    c += v.bit(b) ? 1 : 0;
  return c;
}

static void conv(hls::stream<Word> &in, const Word w[OUTS][K][K], hls::stream<Acc> &out) {
  Word rows[K][W];
#pragma HLS array_partition variable=rows complete dim=1
  for (unsigned y = 0; y < W; y++) {
    for (unsigned x = 0; x < W; x++) {
      rows[0][x] = rows[1][x];
      rows[1][x] = rows[2][x];
      rows[2][x] = in.read();
    }
    if (y >= K - 1) {
      for (unsigned x = 0; x + K <= W; x++)
        for (unsigned o = 0; o < OUTS; o++) {
#pragma HLS pipeline II=1
          Acc a = 0;
          for (unsigned i = 0; i < K; i++)
            for (unsigned j = 0; j < K; j++) {
              Word same = ~(rows[i][x + j] ^ w[o][i][j]);
              a += 2 * ones<CH>(same) - CH;
            }
          out << a;
        }
    }
  }
}

static void threshold(hls::stream<Acc> &in, const Thresh th[OUTS], ap_uint<OUTS> out[W - 2][W - 2]) {
  for (unsigned y = 0; y < W - 2; y++)
    for (unsigned x = 0; x < W - 2; x++) {
      ap_uint<OUTS> bits = 0;
      for (unsigned o = 0; o < OUTS; o++) {
        Acc a;
        in >> a;
        bits[o] = (a >= th[o].t) ^ th[o].invert;
      }
      out[y][x] = bits;
    }
}

void bnn_layer(const Word x[W][W], const Word w[OUTS][K][K], const Thresh th[OUTS], ap_uint<OUTS> y[W - 2][W - 2]) {
#pragma HLS dataflow
  hls::stream<Word> s_in("s_in");
  hls::stream<Acc> s_acc("s_acc");
#pragma HLS stream variable=s_acc depth=16
  for (unsigned r = 0; r < W; r++)
    for (unsigned c = 0; c < W; c++) s_in.write(x[r][c]);
  conv(s_in, w, s_acc);
  threshold(s_acc, th, y);
}
