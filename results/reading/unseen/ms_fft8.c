#include <math.h>
#define TYPE float
#define SQRT1_2 0.70710678f
typedef struct complex_t { TYPE x; TYPE y; } complex_t;
#define cm_x(a_x, a_y, b_x, b_y) (a_x * b_x - a_y * b_y)
#define cm_y(a_x, a_y, b_x, b_y) (a_x * b_y + a_y * b_x)
#define FF2(a0x, a0y, a1x, a1y) { TYPE c0x = *a0x; TYPE c0y = *a0y; *a0x = c0x + *a1x; *a0y = c0y + *a1y; *a1x = c0x - *a1x; *a1y = c0y - *a1y; }

static void fft4(TYPE *a0x, TYPE *a0y, TYPE *a1x, TYPE *a1y, TYPE *a2x, TYPE *a2y, TYPE *a3x, TYPE *a3y) {
  TYPE t;
  FF2(a0x, a0y, a2x, a2y);
  FF2(a1x, a1y, a3x, a3y);
  t = *a3x;
  *a3x = *a3y;
  *a3y = -t;
  FF2(a0x, a0y, a1x, a1y);
  FF2(a2x, a2y, a3x, a3y);
}

void fft8(TYPE work_x[64], TYPE work_y[64]) {
  static const unsigned char reversed[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  TYPE data_x[8], data_y[8];
  int tid, i;
  blocks : for (tid = 0; tid < 8; tid++) {
    load : for (i = 0; i < 8; i++) {
      data_x[i] = work_x[i * 8 + tid];
      data_y[i] = work_y[i * 8 + tid];
    }
    fft4(&data_x[0], &data_y[0], &data_x[2], &data_y[2], &data_x[4], &data_y[4], &data_x[6], &data_y[6]);
    fft4(&data_x[1], &data_y[1], &data_x[3], &data_y[3], &data_x[5], &data_y[5], &data_x[7], &data_y[7]);
    TYPE tx = data_x[3], ty = data_y[3];
    data_x[3] = cm_x(tx, ty, SQRT1_2, -SQRT1_2);
    data_y[3] = cm_y(tx, ty, SQRT1_2, -SQRT1_2);
    FF2((data_x + 0), (data_y + 0), (data_x + 1), (data_y + 1));
    FF2((data_x + 2), (data_y + 2), (data_x + 3), (data_y + 3));
    FF2((data_x + 4), (data_y + 4), (data_x + 5), (data_y + 5));
    FF2((data_x + 6), (data_y + 6), (data_x + 7), (data_y + 7));
    store : for (i = 0; i < 8; i++) {
      work_x[i * 8 + tid] = data_x[reversed[i]];
      work_y[i * 8 + tid] = data_y[reversed[i]];
    }
  }
}
