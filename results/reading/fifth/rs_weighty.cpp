#include "ap_fixed.h"
#include "ap_int.h"
#include "hls_stream.h"

const int MAX_HEIGHT = 16;
const int MAX_WIDTH = 20;
typedef ap_fixed<17, 9> input_t;
typedef ap_fixed<32, 13> pixel_t;

typedef struct {
    pixel_t x;
    pixel_t y;
    pixel_t z;
} gradient_t;

const pixel_t GRAD_FILTER[] = {0.0755, 0.133, 0.1869, 0.2903, 0.1869, 0.133, 0.0755};

void gradient_weight_y(pixel_t gradient_x[MAX_HEIGHT][MAX_WIDTH],
                       pixel_t gradient_y[MAX_HEIGHT][MAX_WIDTH],
                       pixel_t gradient_z[MAX_HEIGHT][MAX_WIDTH],
                       gradient_t filt_grad[MAX_HEIGHT][MAX_WIDTH]) {
    gradient_t buf[7][MAX_WIDTH];
#pragma HLS array_partition variable=buf complete dim=1
    gradient_t zero;
    zero.x = 0;
    zero.y = 0;
    zero.z = 0;

    GRAD_WEIGHT_Y_OUTER: for (int r = 0; r < MAX_HEIGHT + 3; r++) {
        GRAD_WEIGHT_Y_INNER: for (int c = 0; c < MAX_WIDTH; c++) {
            #pragma HLS pipeline II=1
            #pragma HLS dependence variable=buf inter false
            for (int i = 0; i < 6; i++) {
                buf[i][c] = buf[i + 1][c];
            }
            gradient_t tmp;
            if (r < MAX_HEIGHT) {
                tmp.x = gradient_x[r][c];
                tmp.y = gradient_y[r][c];
                tmp.z = gradient_z[r][c];
            } else {
                tmp = zero;
            }
            buf[6][c] = tmp;

            gradient_t acc;
            acc.x = 0;
            acc.y = 0;
            acc.z = 0;
            if (r >= 6 && r < MAX_HEIGHT) {
                for (int i = 0; i < 7; i++) {
                    acc.x += buf[i][c].x * GRAD_FILTER[i];
                    acc.y += buf[i][c].y * GRAD_FILTER[i];
                    acc.z += buf[i][c].z * GRAD_FILTER[i];
                }
                filt_grad[r - 3][c] = acc;
            } else if (r >= 3) {
                filt_grad[r - 3][c] = acc;
            }
        }
    }
}
