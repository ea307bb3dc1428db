#include "ap_fixed.h"
#include "ap_int.h"
#include "hls_stream.h"
const int MAX_HEIGHT = 8;
const int MAX_WIDTH = 10;
typedef ap_uint<64> frames_t;
typedef ap_fixed<17,9> input_t;
typedef ap_fixed<32,13> pixel_t;
#define SDSOC
// define these constants so they can be used in pragma
const int max_width = MAX_WIDTH;
const int default_depth = MAX_WIDTH;

template <int ROWS, int COLS, typename T> class Window {
 public:
  Window() {
#pragma HLS ARRAY_PARTITION variable=val dim=1 complete
#pragma HLS ARRAY_PARTITION variable=val dim=2 complete
  };
  void shift_pixels_left() {
#pragma HLS inline
    for (int i = 0; i < ROWS; i++)
      for (int j = 0; j < COLS - 1; j++) val[i][j] = val[i][j + 1];
  }
  void insert_pixel(T value, int row, int col) {
#pragma HLS inline
    val[row][col] = value;
  }
  T &getval(int row, int col) { return val[row][col]; }
  T val[ROWS][COLS];
};

const int GRAD_WEIGHTS[] = {1, -8, 0, 8, -1};

void unpack(frames_t frames[MAX_HEIGHT][MAX_WIDTH], hls::stream<input_t> &frame3_a) {
  FRAMES_CP_OUTER: for (int r = 0; r < MAX_HEIGHT; r++) {
    FRAMES_CP_INNER: for (int c = 0; c < MAX_WIDTH; c++) {
#pragma HLS pipeline II=1
      frames_t buf = 0;
      buf = frames[r][c];
      frame3_a.write(((input_t)(ap_uint<8>)(buf(23, 16))) >> 8);
    }
  }
}

void gradient_xy_calc(hls::stream<input_t> &frame, pixel_t gradient_x[MAX_HEIGHT][MAX_WIDTH], pixel_t gradient_y[MAX_HEIGHT][MAX_WIDTH]) {
  input_t buf[5][MAX_WIDTH];
#pragma HLS array_partition variable=buf complete dim=1
  Window<5, 5, input_t> window;
  GRAD_XY_OUTER: for (int r = 0; r < MAX_HEIGHT + 2; r++) {
    GRAD_XY_INNER: for (int c = 0; c < MAX_WIDTH + 2; c++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=buf inter false
      // shift the column of the line buffer
      if (c < MAX_WIDTH) {
        for (int i = 0; i < 4; i++) buf[i][c] = buf[i + 1][c];
      }
      if (r < MAX_HEIGHT && c < MAX_WIDTH) {
        input_t tmp = frame.read();
        buf[4][c] = tmp;
      } else if (c < MAX_WIDTH) {
        buf[4][c] = 0;
      }
      window.shift_pixels_left();
      for (int i = 0; i < 5; i++) {
        if (c < MAX_WIDTH)
          window.insert_pixel(buf[i][c], i, 4);
        else
          window.insert_pixel(0, i, 4);
      }
      pixel_t x_grad = 0;
      pixel_t y_grad = 0;
      if (r >= 4 && r < MAX_HEIGHT && c >= 4 && c < MAX_WIDTH) {
        GRAD_XY_XYGRAD: for (int i = 0; i < 5; i++) {
          x_grad += window.getval(2, i) * GRAD_WEIGHTS[i];
          y_grad += window.getval(i, 2) * GRAD_WEIGHTS[i];
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

void flow(frames_t frames[MAX_HEIGHT][MAX_WIDTH], pixel_t gradient_x[MAX_HEIGHT][MAX_WIDTH], pixel_t gradient_y[MAX_HEIGHT][MAX_WIDTH]) {
#pragma HLS dataflow
  hls::stream<input_t> frame3_a;
#pragma HLS STREAM variable=frame3_a depth=default_depth
  unpack(frames, frame3_a);
  gradient_xy_calc(frame3_a, gradient_x, gradient_y);
}
