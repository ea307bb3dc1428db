#include "math.h"
#define NUM_FEATURE 2
#define NUM_PT_IN_SEARCHSPACE 64
#define NUM_PT_IN_BUFFER 16
#define NUM_TILES (NUM_PT_IN_SEARCHSPACE / NUM_PT_IN_BUFFER)
#define UNROLL_FACTOR 2

extern "C" {
void load(int flag, int load_idx, float *searchSpace, float local[NUM_PT_IN_BUFFER * NUM_FEATURE]) {
#pragma HLS INLINE off
  if (flag) {
    int start = load_idx * NUM_PT_IN_BUFFER * NUM_FEATURE;
    for (int i = 0; i < NUM_PT_IN_BUFFER * NUM_FEATURE; ++i) {
#pragma HLS PIPELINE II=1
      local[i] = searchSpace[start + i];
    }
  }
}
void compute(int flag, float query[NUM_FEATURE], float local[NUM_PT_IN_BUFFER * NUM_FEATURE], float dist[NUM_PT_IN_BUFFER]) {
#pragma HLS INLINE off
  if (flag) {
    for (int i = 0; i < NUM_PT_IN_BUFFER; ++i) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=UNROLL_FACTOR
      float sum = 0.0;
      for (int j = 0; j < NUM_FEATURE; ++j) {
        float delta = local[i * NUM_FEATURE + j] - query[j];
        sum += delta * delta;
      }
      dist[i] = sum;
    }
  }
}
void store(int flag, int store_idx, float dist[NUM_PT_IN_BUFFER], float *out) {
#pragma HLS INLINE off
  if (flag) {
    int start = store_idx * NUM_PT_IN_BUFFER;
    for (int i = 0; i < NUM_PT_IN_BUFFER; i++) out[start + i] = dist[i];
  }
}
void workload(float inputQuery[NUM_FEATURE], float searchSpace[NUM_PT_IN_SEARCHSPACE * NUM_FEATURE],
              float distance[NUM_PT_IN_SEARCHSPACE]) {
#pragma HLS INTERFACE m_axi port=searchSpace offset=slave bundle=gmem2
  float query[NUM_FEATURE];
  float space_0[NUM_PT_IN_BUFFER * NUM_FEATURE], space_1[NUM_PT_IN_BUFFER * NUM_FEATURE],
      space_2[NUM_PT_IN_BUFFER * NUM_FEATURE];
  float dist_0[NUM_PT_IN_BUFFER], dist_1[NUM_PT_IN_BUFFER], dist_2[NUM_PT_IN_BUFFER];
  for (int i = 0; i < NUM_FEATURE; ++i) query[i] = inputQuery[i];
  for (int i = 0; i < NUM_TILES + 2; ++i) {
    int load_flag = i >= 0 && i < NUM_TILES;
    int compute_flag = i >= 1 && i < NUM_TILES + 1;
    int store_flag = i >= 2 && i < NUM_TILES + 2;
    if (i % 3 == 0) {
      load(load_flag, i, searchSpace, space_0);
      compute(compute_flag, query, space_2, dist_2);
      store(store_flag, i - 2, dist_1, distance);
    } else if (i % 3 == 1) {
      load(load_flag, i, searchSpace, space_1);
      compute(compute_flag, query, space_0, dist_0);
      store(store_flag, i - 2, dist_2, distance);
    } else {
      load(load_flag, i, searchSpace, space_2);
      compute(compute_flag, query, space_1, dist_1);
      store(store_flag, i - 2, dist_0, distance);
    }
  }
}
}
