#include <cstdint>
#include "ap_int.h"
#include "hls_stream.h"
#include "ap_axi_sdata.h"

constexpr int WIDTH = 16;
constexpr int HEIGHT = 12;
constexpr int TAPS = 3;
using pixel_t = uint8_t;
using beat_t = ap_axiu<24, 1, 1, 1>;
struct RGB { pixel_t r, g, b; };

template <int R, int C, typename T> class LineBuf {
 public:
  T rows[R][C];
  void push(int col, T v) {
#pragma HLS inline
    for (int i = 0; i < R - 1; ++i) rows[i][col] = rows[i + 1][col];
    rows[R - 1][col] = v;
  }
  T at(int r, int c) const { return rows[r][c]; }
};
template <int R, int C, typename T> struct Win {
  T v[R][C];
  void shift() {
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C - 1; ++j) v[i][j] = v[i][j + 1];
  }
  T sum() const {
    T s = 0;
    for (int i = 0; i < R; ++i)
      for (int j = 0; j < C; ++j) s += v[i][j];
    return s;
  }
};

inline pixel_t luma(RGB p) { return (77 * p.r + 150 * p.g + 29 * p.b) >> 8; }

void unpack(hls::stream<beat_t> &in, hls::stream<pixel_t> &out) {
  for (int i = 0; i < WIDTH * HEIGHT; ++i) {
#pragma HLS pipeline
    beat_t b = in.read();
    RGB p{static_cast<pixel_t>(b.data.range(7, 0).to_int()), static_cast<pixel_t>(b.data.range(15, 8).to_int()),
          static_cast<pixel_t>(b.data.range(23, 16).to_int())};
    out.write(luma(p));
  }
}

void blur(hls::stream<pixel_t> &in, hls::stream<pixel_t> &out) {
  LineBuf<TAPS - 1, WIDTH, pixel_t> lines;
  Win<TAPS, TAPS, uint16_t> win;
  for (int r = 0; r < HEIGHT; ++r)
    for (int c = 0; c < WIDTH; ++c) {
#pragma HLS loop_flatten
      pixel_t p = in.read();
      win.shift();
      for (int i = 0; i < TAPS - 1; ++i) win.v[i][TAPS - 1] = lines.at(i, c);
      win.v[TAPS - 1][TAPS - 1] = p;
      lines.push(c, p);
      bool border = r < TAPS - 1 || c < TAPS - 1;
      out.write(border ? pixel_t{0} : static_cast<pixel_t>(win.sum() / 9));
    }
}

void pack(hls::stream<pixel_t> &in, hls::stream<beat_t> &out) {
  for (int i = 0; i < WIDTH * HEIGHT; ++i) {
    beat_t b;
    pixel_t g = in.read();
    b.data = (ap_uint<8>(g), ap_uint<8>(g), ap_uint<8>(g));
    b.keep = -1;
    b.strb = -1;
    b.user = i == 0;
    b.last = (i % WIDTH) == WIDTH - 1;
    b.id = 0;
    b.dest = 0;
    out.write(b);
  }
}

void video(hls::stream<beat_t> &src, hls::stream<beat_t> &dst) {
#pragma HLS INTERFACE axis port=src
#pragma HLS INTERFACE axis port=dst
#pragma HLS dataflow
  hls::stream<pixel_t, 8> grey, blurred;
  unpack(src, grey);
  blur(grey, blurred);
  pack(blurred, dst);
}
