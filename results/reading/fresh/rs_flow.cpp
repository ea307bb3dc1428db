#include "ap_fixed.h"
#include "hls_stream.h"
const int MAX_HEIGHT = 10;
const int MAX_WIDTH = 14;
typedef ap_fixed<17, 9> input_t;
typedef ap_fixed<32, 13> pixel_t;
typedef ap_fixed<48, 27> outer_pixel_t;
typedef struct { pixel_t x; pixel_t y; pixel_t z; } gradient_t;
typedef struct { outer_pixel_t val[6]; } outer_t;
const pixel_t GRAD_FILTER[] = {0.0755, 0.133, 0.1869, 0.2903, 0.1869, 0.133, 0.0755};

void gradient_weight_y(hls::stream<gradient_t> &in, gradient_t filt_grad[MAX_HEIGHT][MAX_WIDTH]) {
  gradient_t buf[7][MAX_WIDTH];
#pragma HLS array_partition variable=buf complete dim=1
GRAD_WEIGHT_Y_OUTER:
  for (int r = 0; r < MAX_HEIGHT + 3; r++) {
  GRAD_WEIGHT_Y_INNER:
    for (int c = 0; c < MAX_WIDTH; c++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=buf inter false
      for (int i = 0; i < 6; i++) buf[i][c] = buf[i + 1][c];
      gradient_t tmp;
      if (r < MAX_HEIGHT) {
        tmp = in.read();
      } else {
        tmp.x = 0;
        tmp.y = 0;
        tmp.z = 0;
      }
      buf[6][c] = tmp;
      gradient_t acc;
      acc.x = 0;
      acc.y = 0;
      acc.z = 0;
      if (r >= 6 && r < MAX_HEIGHT) {
      GRAD_WEIGHT_Y_ACC:
        for (int i = 0; i < 7; i++) {
          acc.x += buf[i][c].x * GRAD_FILTER[i];
          acc.y += buf[i][c].y * GRAD_FILTER[i];
          acc.z += buf[i][c].z * GRAD_FILTER[i];
        }
      }
      if (r >= 3) filt_grad[r - 3][c] = acc;
    }
  }
}
void outer_product(gradient_t gradient[MAX_HEIGHT][MAX_WIDTH], outer_t out[MAX_HEIGHT][MAX_WIDTH]) {
  for (int r = 0; r < MAX_HEIGHT; r++)
    for (int c = 0; c < MAX_WIDTH; c++) {
#pragma HLS pipeline II=1
      gradient_t grad = gradient[r][c];
      outer_pixel_t x = (outer_pixel_t)grad.x, y = (outer_pixel_t)grad.y, z = (outer_pixel_t)grad.z;
      outer_t o;
      o.val[0] = (x * x);
      o.val[1] = (y * y);
      o.val[2] = (z * z);
      o.val[3] = (x * y);
      o.val[4] = (x * z);
      o.val[5] = (y * z);
      out[r][c] = o;
    }
}
void flow(input_t gx[MAX_HEIGHT][MAX_WIDTH], input_t gy[MAX_HEIGHT][MAX_WIDTH], input_t gz[MAX_HEIGHT][MAX_WIDTH],
          outer_t out[MAX_HEIGHT][MAX_WIDTH]) {
#pragma HLS dataflow
  hls::stream<gradient_t> s("gradients");
#pragma HLS STREAM variable=s depth=32
  static gradient_t filtered[MAX_HEIGHT][MAX_WIDTH];
  for (int r = 0; r < MAX_HEIGHT; r++)
    for (int c = 0; c < MAX_WIDTH; c++) {
      gradient_t g;
      g.x = gx[r][c];
      g.y = gy[r][c];
      g.z = gz[r][c];
      s.write(g);
    }
  gradient_weight_y(s, filtered);
  outer_product(filtered, out);
}
