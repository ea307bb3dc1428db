#include <string.h>
#include "ap_int.h"
#define COLS 32
#define ROWS 12
#define IN_RANGE(x, min, max)   ((x)>=(min) && (x)<=(max))
#define CLAMP_RANGE(x, min, max) x = (x<(min)) ? min : ((x>(max)) ? max : x )
#define MIN(a, b) ((a)<=(b) ? (a) : (b))

extern "C" {
void workload(int J[ROWS * COLS], int Jout[COLS])
{
#pragma HLS INTERFACE m_axi port=J offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=Jout offset=slave bundle=gmem
#pragma HLS INTERFACE s_axilite port=J bundle=control
#pragma HLS INTERFACE s_axilite port=Jout bundle=control
#pragma HLS INTERFACE s_axilite port=return bundle=control

    int src[COLS], dst[COLS];
    memcpy(src, J, sizeof(int) * COLS);
    for (int t = 0; t < ROWS - 1; t++) {
        for (int n = 0; n < COLS; n++) {
#pragma HLS pipeline
            int min = src[n];
            if (n > 0)
                min = MIN(min, src[n - 1]);
            if (n < COLS - 1)
                min = MIN(min, src[n + 1]);
            dst[n] = J[(t + 1) * COLS + n] + min;
        }
        for (int n = 0; n < COLS; n++) src[n] = dst[n];
    }
    memcpy(Jout, src, COLS * sizeof(int));
    return;
}
}
