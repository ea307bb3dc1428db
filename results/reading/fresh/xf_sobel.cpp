#include "ap_int.h"
#include "hls_stream.h"
#include <stdint.h>
#define ROWS 14
#define COLS 18
#define WIN 3
typedef ap_uint<8> pix_t;
typedef ap_int<11> grad_t;

template <int SIZE, typename T> void shift_window(T win[SIZE][SIZE]) {
#pragma HLS INLINE
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE - 1; j++) win[i][j] = win[i][j + 1];
}
static grad_t gradient_x(pix_t w[WIN][WIN]) {
#pragma HLS INLINE
  grad_t a = (grad_t)w[0][2] + ((grad_t)w[1][2] << 1) + w[2][2];
  grad_t b = (grad_t)w[0][0] + ((grad_t)w[1][0] << 1) + w[2][0];
  return a - b;
}
static grad_t gradient_y(pix_t w[WIN][WIN]) {
#pragma HLS INLINE
  return (w[2][0] + (w[2][1] << 1) + w[2][2]) - (w[0][0] + (w[0][1] << 1) + w[0][2]);
}
void sobel(hls::stream<pix_t> &src, hls::stream<pix_t> &dst) {
  pix_t linebuf[WIN][COLS];
#pragma HLS ARRAY_PARTITION variable=linebuf complete dim=1
  pix_t win[WIN][WIN];
#pragma HLS ARRAY_PARTITION variable=win complete dim=0
  for (int i = 0; i < WIN; i++)
    for (int j = 0; j < WIN; j++) win[i][j] = 0;
clear:
  for (int c = 0; c < COLS; c++) {
    linebuf[0][c] = 0;
    linebuf[1][c] = 0;
    linebuf[2][c] = 0;
  }
Row_Loop:
  for (ap_uint<13> row = 0; row <= ROWS; row++) {
  Col_Loop:
    for (ap_uint<13> col = 0; col <= COLS; col++) {
#pragma HLS LOOP_FLATTEN OFF
#pragma HLS PIPELINE
      if (col < COLS) {
        linebuf[0][col] = linebuf[1][col];
        linebuf[1][col] = linebuf[2][col];
        if (row < ROWS) linebuf[2][col] = src.read();
      }
      shift_window<WIN>(win);
      for (int i = 0; i < WIN; i++) win[i][WIN - 1] = col < COLS ? linebuf[i][col] : pix_t(0);
      if (row > 0 && col > 0) {
        pix_t out = 0;
        if (row > 1 && row < ROWS && col > 1 && col < COLS) {
          grad_t gx = gradient_x(win), gy = gradient_y(win);
          grad_t ax = gx < 0 ? (grad_t)-gx : gx, ay = gy < 0 ? (grad_t)-gy : gy;
          ap_uint<12> mag = ax + ay;
          out = mag > 255 ? pix_t(255) : pix_t(mag);
        }
        dst.write(out);
      }
    }
  }
}
