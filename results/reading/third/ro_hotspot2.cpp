#include "ap_int.h"
#include <hls_stream.h>
#define GRID_ROWS 16
#define GRID_COLS 16
#define SIM_TIME 4
#define AMB_TEMP (80.0f)
#define TOP 0
#define BOTTOM (GRID_ROWS - 1)

float hotspot_stencil_core(float temp_top, float temp_left, float temp_right, float temp_bottom, float temp_center,
                           float power_center, float Cap_1, float Rx_1, float Ry_1, float Rz_1) {
#pragma HLS inline off
  float tmp = temp_center + Cap_1 * (power_center + (temp_bottom + temp_top - temp_center * 2.0f) * Ry_1 +
                                     (temp_right + temp_left - temp_center * 2.0f) * Rx_1 +
                                     (AMB_TEMP - temp_center) * Rz_1);
  return tmp;
}

void hotspot(int r, float *result, float *temp, float *power) {
  for (int c = 0; c < GRID_COLS; c++) {
#pragma HLS pipeline II=1
    float center = temp[r * GRID_COLS + c];
    float top = (r == TOP) ? center : temp[(r - 1) * GRID_COLS + c];
    float bottom = (r == BOTTOM) ? center : temp[(r + 1) * GRID_COLS + c];
    float left = (c == 0) ? center : temp[r * GRID_COLS + c - 1];
    float right = (c == GRID_COLS - 1) ? center : temp[r * GRID_COLS + c + 1];
    result[r * GRID_COLS + c] =
        hotspot_stencil_core(top, left, right, bottom, center, power[r * GRID_COLS + c], 0.5f, 0.1f, 0.1f, 0.01f);
  }
}

extern "C" {
void workload(float result[GRID_ROWS * GRID_COLS], float temp[GRID_ROWS * GRID_COLS], float power[GRID_ROWS * GRID_COLS]) {
#pragma HLS INTERFACE m_axi port=result offset=slave bundle=gmem1
#pragma HLS INTERFACE m_axi port=temp offset=slave bundle=gmem2
#pragma HLS INTERFACE m_axi port=power offset=slave bundle=gmem3
  int i, t;
  for (t = 0; t < SIM_TIME / 2; t++) {
    for (i = 0; i < GRID_ROWS; i++)
      hotspot(i, result, temp, power);
    for (i = 0; i < GRID_ROWS; i++)
      hotspot(i, temp, result, power);
  }
}
}
