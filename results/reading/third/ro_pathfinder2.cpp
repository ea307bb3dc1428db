#include <string.h>
#define ROWS 8
#define COLS 16
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

extern "C" {
void workload(int J[ROWS * COLS], int Jout[COLS]) {
#pragma HLS INTERFACE m_axi port=J offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=Jout offset=slave bundle=gmem
  int buf0[COLS], buf1[COLS];
  int *src = buf0, *dst = buf1, *temp;
  int min;
  memcpy(src, J, COLS * sizeof(int));
  for (int t = 0; t < ROWS - 1; t++) {
    for (int n = 0; n < COLS; n++) {
      min = src[n];
      if (n > 0) min = MIN(min, src[n - 1]);
      if (n < COLS - 1) min = MIN(min, src[n + 1]);
      dst[n] = J[(t + 1) * COLS + n] + min;
    }
    temp = src;
    src = dst;
    dst = temp;
  }
  for (int n = 0; n < COLS; n++) Jout[n] = src[n];
}
}
