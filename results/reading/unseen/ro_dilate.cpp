#include <float.h>
#define MAX_ROWS 20
#define MAX_COLS 18
#define EL 5
const int STREL_RADIUS = EL / 2;
extern "C" {
void dilate(const float img[MAX_ROWS * MAX_COLS], const unsigned char strel[EL * EL], float dilated[MAX_ROWS * MAX_COLS]) {
  float window[EL][MAX_COLS];
#pragma HLS array_partition variable=window complete dim=1
  for (int r = 0; r < MAX_ROWS + STREL_RADIUS; r++) {
  shift:
    for (int c = 0; c < MAX_COLS; c++) {
#pragma HLS pipeline II=1
      for (int e = 0; e < EL - 1; e++) {
#pragma HLS unroll
        window[e][c] = r == 0 ? -FLT_MAX : window[e + 1][c];
      }
      window[EL - 1][c] = r < MAX_ROWS ? img[r * MAX_COLS + c] : -FLT_MAX;
    }
    if (r < STREL_RADIUS) continue;
  out:
    for (int c = 0; c < MAX_COLS; c++) {
      float max = -FLT_MAX;
      for (int e = 0; e < EL; e++) {
        for (int f = 0; f < EL; f++) {
          int y = c + f - STREL_RADIUS;
          if (y >= 0 && y < MAX_COLS && strel[e * EL + f] != 0) {
            float v = window[e][y];
            if (v > max) max = v;
          }
        }
      }
      dilated[(r - STREL_RADIUS) * MAX_COLS + c] = max;
    }
  }
}
}
