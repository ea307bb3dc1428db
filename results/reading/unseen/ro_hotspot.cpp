#include <string.h>
#define TILE_ROWS 8
#define GRID_ROWS 32
#define GRID_COLS 16
#define SIM_TIME 2
#define TOP 0
#define BOTTOM (GRID_ROWS / TILE_ROWS - 1)

extern "C" {

static void buffer_load(int flag, int k, float dst_in[(TILE_ROWS + 2) * GRID_COLS], float dst_pw[TILE_ROWS * GRID_COLS],
                        float *in, float *pw) {
#pragma HLS INLINE off
  if (flag) {
    if (k == TOP) {
      memcpy(dst_in + GRID_COLS, in, sizeof(float) * GRID_COLS * (TILE_ROWS + 1));
    } else if (k == BOTTOM) {
      memcpy(dst_in, in + (k * TILE_ROWS - 1) * GRID_COLS, sizeof(float) * GRID_COLS * (TILE_ROWS + 1));
    } else {
      memcpy(dst_in, in + (k * TILE_ROWS - 1) * GRID_COLS, sizeof(float) * GRID_COLS * (TILE_ROWS + 2));
    }
    memcpy(dst_pw, pw + k * TILE_ROWS * GRID_COLS, sizeof(float) * GRID_COLS * TILE_ROWS);
  }
}

static void buffer_compute(int flag, int k, float res[TILE_ROWS * GRID_COLS], float t[(TILE_ROWS + 2) * GRID_COLS],
                           float p[TILE_ROWS * GRID_COLS], float Cap_1, float Rx_1, float Ry_1, float Rz_1) {
#pragma HLS INLINE off
  const float amb = 80.0f;
  if (flag) {
    for (int i = 0; i < TILE_ROWS; i++)
      for (int j = 0; j < GRID_COLS; j++) {
#pragma HLS PIPELINE II=1
        int at = (i + 1) * GRID_COLS + j;
        float c = t[at];
        float up = (k == TOP && i == 0) ? c : t[at - GRID_COLS];
        float down = (k == BOTTOM && i == TILE_ROWS - 1) ? c : t[at + GRID_COLS];
        float left = j == 0 ? c : t[at - 1];
        float right = j == GRID_COLS - 1 ? c : t[at + 1];
        float delta = Cap_1 * (p[i * GRID_COLS + j] + (up + down - 2.f * c) * Ry_1 + (left + right - 2.f * c) * Rx_1 +
                               (amb - c) * Rz_1);
        res[i * GRID_COLS + j] = c + delta;
      }
  }
}

static void buffer_store(int flag, int k, float *dst, float src[TILE_ROWS * GRID_COLS]) {
#pragma HLS INLINE off
  if (flag) memcpy(dst + k * TILE_ROWS * GRID_COLS, src, sizeof(float) * TILE_ROWS * GRID_COLS);
}

void workload(float result[GRID_ROWS * GRID_COLS], float temp[GRID_ROWS * GRID_COLS],
              float power[GRID_ROWS * GRID_COLS]) {
#pragma HLS INTERFACE m_axi port=result offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=temp offset=slave bundle=gmem1
#pragma HLS INTERFACE m_axi port=power offset=slave bundle=gmem2
#pragma HLS INTERFACE s_axilite port=return bundle=control
  float a[(TILE_ROWS + 2) * GRID_COLS], b[TILE_ROWS * GRID_COLS], c[TILE_ROWS * GRID_COLS];
  float mid[GRID_ROWS * GRID_COLS];
  for (int s = 0; s < SIM_TIME / 2; s++) {
    for (int k = 0; k < GRID_ROWS / TILE_ROWS; k++) {
      buffer_load(1, k, a, b, temp, power);
      buffer_compute(1, k, c, a, b, 0.5f, 0.1f, 0.1f, 0.0125f);
      buffer_store(1, k, mid, c);
    }
    for (int k = 0; k < GRID_ROWS / TILE_ROWS; k++) {
      buffer_load(1, k, a, b, mid, power);
      buffer_compute(1, k, c, a, b, 0.5f, 0.1f, 0.1f, 0.0125f);
      buffer_store(1, k, result, c);
    }
  }
}
}
