/* optical flow: gradients of a frame with a window and a line buffer */
#include <hls_stream.h>
#define H 10
#define W 12
typedef float pixel_t;
const pixel_t GRAD_WEIGHTS[5] = {1.0f, -8.0f, 0.0f, 8.0f, -1.0f};

void gradient_xy(hls::stream<pixel_t> &frame, pixel_t gradient_x[H][W], pixel_t gradient_y[H][W]) {
  static pixel_t buf[5][W];
#pragma HLS array_partition variable=buf complete dim=1
  pixel_t smallbuf[5];
  pixel_t window[5][5];
#pragma HLS array_partition variable=window complete dim=0
GRAD_XY_OUTER:
  for (int r = 0; r < H + 2; r++) {
  GRAD_XY_INNER:
    for (int c = 0; c < W + 2; c++) {
#pragma HLS pipeline II=1
      for (int i = 0; i < 4; i++) smallbuf[i] = c < W ? buf[i + 1][c] : 0.0f;
      if (r < H && c < W) {
        smallbuf[4] = frame.read();
      } else {
        smallbuf[4] = 0;
      }
      if (c < W)
        for (int i = 0; i < 5; i++) buf[i][c] = smallbuf[i];
      for (int i = 0; i < 5; i++)
        for (int j = 0; j < 4; j++) window[i][j] = window[i][j + 1];
      for (int i = 0; i < 5; i++) window[i][4] = smallbuf[i];
      pixel_t x_grad = 0, y_grad = 0;
      if (r >= 4 && r < H && c >= 4 && c < W) {
      GRAD_XY_XYGRAD:
        for (int i = 0; i < 5; i++) {
          x_grad += window[2][i] * GRAD_WEIGHTS[i];
          y_grad += window[i][2] * GRAD_WEIGHTS[i];
        }
        gradient_x[r - 2][c - 2] = x_grad / 12;
        gradient_y[r - 2][c - 2] = y_grad / 12;
      } else if (r >= 2 && c >= 2) {
        gradient_x[r - 2][c - 2] = 0;
        gradient_y[r - 2][c - 2] = 0;
      }
    }
  }
}
void flow(pixel_t frame[H][W], pixel_t gx[H][W], pixel_t gy[H][W]) {
#pragma HLS DATAFLOW
  hls::stream<pixel_t> s("frame");
  for (int r = 0; r < H; r++)
    for (int c = 0; c < W; c++) s.write(frame[r][c]);
  gradient_xy(s, gx, gy);
}
