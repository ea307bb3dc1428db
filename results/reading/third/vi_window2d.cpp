#include <hls_stream.h>
#include <cstring>
#define IMG_W 12
#define IMG_H 8
#define FILTER_V 3
#define FILTER_H 3
struct window { unsigned char pix[FILTER_V][FILTER_H]; };
typedef unsigned char U8;

void ReadFromMem(const U8 *src, hls::stream<U8> &pixel_stream) {
read_image:
  for (int n = 0; n < IMG_W * IMG_H; n++) {
    U8 pix = src[n];
    pixel_stream.write(pix);
  }
}
void Window2D(hls::stream<U8> &pixel_stream, hls::stream<window> &window_stream) {
  U8 LineBuffer[FILTER_V - 1][IMG_W];
#pragma HLS ARRAY_PARTITION variable=LineBuffer dim=1 complete
  window Window;
  unsigned col_ptr = 0;
  unsigned ramp_up = IMG_W * ((FILTER_V - 1) / 2) + (FILTER_H - 1) / 2;
  unsigned num_pixels = IMG_W * IMG_H;
  unsigned num_iterations = num_pixels + ramp_up;
clear:
  for (int i = 0; i < FILTER_V - 1; i++)
    for (int j = 0; j < IMG_W; j++) LineBuffer[i][j] = 0;
  for (int i = 0; i < FILTER_V; i++)
    for (int j = 0; j < FILTER_H; j++) Window.pix[i][j] = 0;
update_window:
  for (int n = 0; n < num_iterations; n++) {
#pragma HLS PIPELINE II=1
    U8 new_pixel = (n < num_pixels) ? pixel_stream.read() : 0;
    for (int i = 0; i < FILTER_V; i++) {
      for (int j = 0; j < FILTER_H - 1; j++) Window.pix[i][j] = Window.pix[i][j + 1];
      Window.pix[i][FILTER_H - 1] = (i < FILTER_V - 1) ? LineBuffer[i][col_ptr] : new_pixel;
    }
    for (int i = 0; i < FILTER_V - 2; i++) LineBuffer[i][col_ptr] = LineBuffer[i + 1][col_ptr];
    LineBuffer[FILTER_V - 2][col_ptr] = new_pixel;
    if (col_ptr == (IMG_W - 1)) col_ptr = 0;
    else col_ptr++;
    if (n >= ramp_up) window_stream.write(Window);
  }
}
void Filter2D(const char *coeffs, hls::stream<window> &window_stream, U8 *dst) {
apply_filter:
  for (int y = 0; y < IMG_H; y++) {
    for (int x = 0; x < IMG_W; x++) {
#pragma HLS PIPELINE II=1
      window w = window_stream.read();
      int sum = 0;
      for (int row = 0; row < FILTER_V; row++)
        for (int col = 0; col < FILTER_H; col++) {
          U8 pixel;
          int xoffset = x + col - (FILTER_H / 2);
          int yoffset = y + row - (FILTER_V / 2);
          if ((xoffset < 0) || (xoffset >= IMG_W) || (yoffset < 0) || (yoffset >= IMG_H)) pixel = 0;
          else pixel = w.pix[row][col];
          sum += pixel * coeffs[row * FILTER_H + col];
        }
      U8 outpix = sum < 0 ? 0 : sum > 255 ? 255 : sum;
      dst[y * IMG_W + x] = outpix;
    }
  }
}
extern "C" void Filter2DKernel(const char coeffs[9], const U8 src[IMG_W * IMG_H], U8 dst[IMG_W * IMG_H]) {
#pragma HLS DATAFLOW
  hls::stream<U8, 2> pixel_stream;
  hls::stream<window, 3> window_stream;
  ReadFromMem(src, pixel_stream);
  Window2D(pixel_stream, window_stream);
  Filter2D(coeffs, window_stream, dst);
}
