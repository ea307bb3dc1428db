#define GRID_ROWS 16
#define GRID_COLS 16
#define SIM_TIME 2
#define TOP 0
#define BOTTOM (GRID_ROWS/1 - 1)
#define AMB_TEMP (80.0)

static float hotspot_stencil_core(float temp_top, float temp_left, float temp_right, float temp_bottom, float temp_center, float power_center, float Cap_1, float Rx_1, float Ry_1, float Rz_1) {
#pragma HLS inline off
    float mul1 = Cap_1 * (power_center + (temp_bottom + temp_top - (float)2.0 * temp_center) * Ry_1 + (temp_right + temp_left - (float)2.0 * temp_center) * Rx_1 + ((float)80.0 - temp_center) * Rz_1);
    return temp_center + mul1;
}

void hotspot(float result[GRID_ROWS * GRID_COLS], float temp[GRID_ROWS * GRID_COLS], float power[GRID_ROWS * GRID_COLS], float Cap_1, float Rx_1, float Ry_1, float Rz_1) {
    int i, c, r;
    for (r = 0; r < GRID_ROWS; ++r) {
        for (c = 0; c < GRID_COLS; ++c) {
#pragma HLS pipeline II=1
            float top = (r == TOP) ? temp[r * GRID_COLS + c] : temp[(r - 1) * GRID_COLS + c];
            float bottom = (r == BOTTOM) ? temp[r * GRID_COLS + c] : temp[(r + 1) * GRID_COLS + c];
            float left = (c == 0) ? temp[r * GRID_COLS + c] : temp[r * GRID_COLS + c - 1];
            float right = (c == GRID_COLS - 1) ? temp[r * GRID_COLS + c] : temp[r * GRID_COLS + c + 1];
            result[r * GRID_COLS + c] = hotspot_stencil_core(top, left, right, bottom, temp[r * GRID_COLS + c], power[r * GRID_COLS + c], Cap_1, Rx_1, Ry_1, Rz_1);
        }
    }
}

extern "C" void workload(float result[GRID_ROWS * GRID_COLS], float temp[GRID_ROWS * GRID_COLS], float power[GRID_ROWS * GRID_COLS]) {
#pragma HLS INTERFACE m_axi port=result offset=slave bundle=result1
#pragma HLS INTERFACE m_axi port=temp offset=slave bundle=temp1
    float grid_height = 0.016 / GRID_ROWS, grid_width = 0.016 / GRID_COLS;
    float Cap = 0.5 * 1.75e6 * 0.0005 * grid_width * grid_height;
    float Rx = grid_width / (2.0 * 100 * 0.0005 * grid_height);
    float Ry = grid_height / (2.0 * 100 * 0.0005 * grid_width);
    float Rz = 0.0005 / (100 * grid_height * grid_width);
    float max_slope = 3.0e6 / (0.5 * 0.0005 * 1.75e6);
    float step = 0.001 / max_slope;
    float Rx_1 = 1 / Rx, Ry_1 = 1 / Ry, Rz_1 = 1 / Rz, Cap_1 = step / Cap;
    int i = 0;
    for (i = 0; i < SIM_TIME / 2; i++) {
        hotspot(result, temp, power, Cap_1, Rx_1, Ry_1, Rz_1);
        hotspot(temp, result, power, Cap_1, Rx_1, Ry_1, Rz_1);
    }
}
