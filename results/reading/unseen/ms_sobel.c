#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#define TYPE int32_t
#define COLS 24
#define ROWS 18
#define PIX(r, c) ((r) * COLS + (c))
#define CLAMP(v, lo, hi) ((v) < (lo) ? (lo) : ((v) > (hi) ? (hi) : (v)))

struct bench_args_t {
  TYPE img[ROWS * COLS];
  TYPE gx[9];
  TYPE gy[9];
  TYPE mag[ROWS * COLS];
};

void sobel(TYPE img[ROWS * COLS], TYPE gx[9], TYPE gy[9], TYPE mag[ROWS * COLS]) {
  int r, c, i, j;
  TYPE h, v, p;

  edge_rows : for (r = 0; r < ROWS; r++) {
    mag[PIX(r, 0)] = 0;
    mag[PIX(r, COLS - 1)] = 0;
  }
  edge_cols : for (c = 0; c < COLS; c++) {
    mag[PIX(0, c)] = 0;
    mag[PIX(ROWS - 1, c)] = 0;
  }
  rows : for (r = 1; r < ROWS - 1; r++) {
    cols : for (c = 1; c < COLS - 1; c++) {
      h = (TYPE)0;
      v = (TYPE)0;
      k1 : for (i = 0; i < 3; i++) {
        k2 : for (j = 0; j < 3; j++) {
          p = img[(r + i - 1) * COLS + c + j - 1];
          h += gx[i * 3 + j] * p;
          v += gy[i * 3 + j] * p;
        }
      }
      mag[PIX(r, c)] = CLAMP(abs(h) + abs(v), 0, 255);
    }
  }
}
