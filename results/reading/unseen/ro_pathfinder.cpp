#include "ap_int.h"
#define COLS 32
#define ROWS 12
#define TILES 4
#define TILE_ROWS ((ROWS - 1 + TILES - 1) / TILES)
#define MIN(a, b) ((a) <= (b) ? (a) : (b))

extern "C" {
void load(bool flag, int t, ap_uint<8> J[ROWS * COLS], ap_uint<8> buf[TILE_ROWS][COLS]) {
  if (!flag) return;
  for (int i = 0; i < TILE_ROWS; ++i)
    for (int j = 0; j < COLS; ++j) {
#pragma HLS pipeline
      int row = 1 + t * TILE_ROWS + i;
      if (row < ROWS) buf[i][j] = J[row * COLS + j];
    }
}

void compute(bool flag, int t, ap_uint<8> buf[TILE_ROWS][COLS], int cur[COLS]) {
  if (!flag) return;
  int next[COLS];
  for (int i = 0; i < TILE_ROWS; ++i) {
    if (1 + t * TILE_ROWS + i < ROWS) {
      for (int j = 0; j < COLS; ++j) {
        int best = cur[j];
        if (j > 0) best = MIN(best, cur[j - 1]);
        if (j < COLS - 1) best = MIN(best, cur[j + 1]);
        next[j] = buf[i][j] + best;
      }
      for (int j = 0; j < COLS; ++j) cur[j] = next[j];
    }
  }
}

void workload(ap_uint<8> J[ROWS * COLS], int result[COLS]) {
#pragma HLS INTERFACE m_axi port=J offset=slave bundle=gmem
  ap_uint<8> ping[TILE_ROWS][COLS], pong[TILE_ROWS][COLS];
  int cur[COLS];
#pragma HLS array_partition variable=cur complete
  for (int j = 0; j < COLS; j++) cur[j] = J[j];
  for (int t = 0; t <= TILES; t++) {
    bool load_flag = t < TILES, compute_flag = t > 0;
    if (t % 2 == 0) {
      load(load_flag, t, J, ping);
      compute(compute_flag, t - 1, pong, cur);
    } else {
      load(load_flag, t, J, pong);
      compute(compute_flag, t - 1, ping, cur);
    }
  }
  for (int j = 0; j < COLS; j++) result[j] = cur[j];
}
}
