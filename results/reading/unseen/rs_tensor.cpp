#include <ap_fixed.h>
#include <hls_stream.h>
#include <hls_video.h>
const int H = 10, Wd = 12;
typedef ap_fixed<24, 8> pixel_t;
struct gradient_t { pixel_t x; pixel_t y; };
typedef struct { pixel_t val[3]; } outer_t;

void grad(pixel_t frame[H][Wd], hls::stream<gradient_t> &out) {
  hls::LineBuffer<3, Wd, pixel_t> buf;
  hls::Window<3, 3, pixel_t> win;
  const int W1[3] = {1, 0, -1};
  for (int r = 0; r < H + 1; r++)
    for (int c = 0; c < Wd + 1; c++) {
#pragma HLS pipeline II=1
      if (c < Wd) {
        buf.shift_up(c);
        buf.insert_bottom(r < H ? frame[r][c] : pixel_t(0), c);
      }
      win.shift_left();
      for (int i = 0; i < 3; i++) win.insert(c < Wd ? buf.getval(2 - i, c) : pixel_t(0), i, 2);
      if (r >= 1 && c >= 1) {
        gradient_t g;
        g.x = 0;
        g.y = 0;
        if (r > 1 && r < H && c > 1 && c < Wd) {
          for (int i = 0; i < 3; i++) {
            g.x += win.getval(1, i) * W1[i];
            g.y += win.getval(i, 1) * W1[i];
          }
        }
        out.write(g);
      }
    }
}

void outer(hls::stream<gradient_t> &in, outer_t out[H][Wd]) {
  for (int r = 0; r < H; r++)
    for (int c = 0; c < Wd; c++) {
      gradient_t g = in.read();
      outer_t o = {{(pixel_t)(g.x * g.x), (pixel_t)(g.x * g.y), (pixel_t)(g.y * g.y)}};
      out[r][c] = o;
    }
}

void tensor(pixel_t frame[H][Wd], outer_t out[H][Wd]) {
#pragma HLS dataflow
  static hls::stream<gradient_t> g;
#pragma HLS stream variable=g depth=64
  grad(frame, g);
  outer(g, out);
}
