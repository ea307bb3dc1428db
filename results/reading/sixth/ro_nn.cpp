#include <math.h>
#define NUM_PT 48
#define TILE 16
const int DIM = 2;

typedef struct latLong { float lat; float lng; } LatLong;

static void load(float *dst, float *src, int tile_idx) {
#pragma HLS inline off
    for (int i = 0; i < TILE * DIM; ++i) {
#pragma HLS pipeline
        dst[i] = src[tile_idx * TILE * DIM + i];
    }
}

static void compute(float in[TILE * DIM], float target[DIM], float out[TILE]) {
    for (int i = 0; i < TILE; ++i) {
#pragma HLS unroll factor=4
        float sum = 0.0f;
        for (int j = 0; j < DIM; ++j) {
            float delta = in[i * DIM + j] - target[j];
            sum += delta * delta;
        }
        out[i] = sqrtf(sum);
    }
}

static void store(float *src, float *dst, int tile_idx) {
    for (int i = 0; i < TILE; ++i)
        dst[tile_idx * TILE + i] = src[i];
}

extern "C" void workload(LatLong inputQuery[1], float searchSpace[NUM_PT * DIM], float distance[NUM_PT]) {
    float target[DIM];
    float in_buf[TILE * DIM];
    float out_buf[TILE];
#pragma HLS array_partition variable=in_buf cyclic factor=8
    target[0] = inputQuery[0].lat;
    target[1] = inputQuery->lng;
    for (int t = 0; t < NUM_PT / TILE; ++t) {
        load(in_buf, searchSpace, t);
        compute(in_buf, target, out_buf);
        store(out_buf, distance, t);
    }
}
