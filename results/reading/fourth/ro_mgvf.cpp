#include <math.h>
#include <stdbool.h>
#define GRID_ROWS 12
#define GRID_COLS 10
#define ITERATION 2
#define PI 3.14159f
#define ONE_OVER_PI (1.0f / PI)
#define MU 0.5f
#define LAMBDA (8.0f * MU + 1.0f)

float heaviside(float x) {
    // A simpler, faster approximation of the Heaviside function
    float out = 0.0f;
    if (x > -0.0001f) out = 0.5f;
    if (x > 0.0001f) out = 1.0f;
    return out;
}

void lc_mgvf(float result[GRID_ROWS * GRID_COLS], float imgvf[GRID_ROWS * GRID_COLS], float I[GRID_ROWS * GRID_COLS]) {
    float total_diff = 0.0f;
    for (int i = 0; i < GRID_ROWS; i++) {
        for (int j = 0; j < GRID_COLS; j++) {
            float old_val = imgvf[i * GRID_COLS + j];
            float UL    = ((i == 0              ||  j == 0              ) ? 0 : (imgvf[(i - 1   ) * GRID_COLS + (j - 1  )] - old_val));
            float U     = ((i == 0                                      ) ? 0 : (imgvf[(i - 1   ) * GRID_COLS + (j      )] - old_val));
            float UR    = ((i == 0              ||  j == GRID_COLS - 1  ) ? 0 : (imgvf[(i - 1   ) * GRID_COLS + (j + 1  )] - old_val));
            float L     = ((                        j == 0              ) ? 0 : (imgvf[(i       ) * GRID_COLS + (j - 1  )] - old_val));
            float R     = ((                        j == GRID_COLS - 1  ) ? 0 : (imgvf[(i       ) * GRID_COLS + (j + 1  )] - old_val));
            float DL    = ((i == GRID_ROWS - 1  ||  j == 0              ) ? 0 : (imgvf[(i + 1   ) * GRID_COLS + (j - 1  )] - old_val));
            float D     = ((i == GRID_ROWS - 1                          ) ? 0 : (imgvf[(i + 1   ) * GRID_COLS + (j      )] - old_val));
            float DR    = ((i == GRID_ROWS - 1  ||  j == GRID_COLS - 1  ) ? 0 : (imgvf[(i + 1   ) * GRID_COLS + (j + 1  )] - old_val));

            float vHe = old_val + (MU / LAMBDA) * (heaviside(UL) * UL + heaviside(U) * U + heaviside(UR) * UR + heaviside(L) * L + heaviside(R) * R + heaviside(DL) * DL + heaviside(D) * D + heaviside(DR) * DR);

            float vI = I[i * GRID_COLS + j];
            float new_val = vHe - ((1.0f / LAMBDA) * vI * (vHe - vI));
            result[i * GRID_COLS + j] = new_val;
            total_diff += fabs(new_val - old_val);
        }
    }
    //return (total_diff / (float)(GRID_ROWS * GRID_COLS));
}

extern "C" {
void workload(float result[GRID_ROWS * GRID_COLS], float imgvf[GRID_ROWS * GRID_COLS], float I[GRID_ROWS * GRID_COLS])
{
#pragma HLS INTERFACE m_axi port=result offset=slave bundle=result1
#pragma HLS INTERFACE m_axi port=imgvf offset=slave bundle=imgvf1
#pragma HLS INTERFACE m_axi port=I offset=slave bundle=I1
#pragma HLS INTERFACE s_axilite port=return bundle=control
    int i;
    for (i = 0; i < ITERATION / 2; i++) {
        lc_mgvf(result, imgvf, I);
        lc_mgvf(imgvf, result, I);
    }
    return;
}
}
