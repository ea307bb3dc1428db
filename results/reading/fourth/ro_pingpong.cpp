#include <string.h>
#define NUM_FEATURE 2
#define NUM_PT_IN_SEARCHSPACE 64
#define NUM_PT_IN_BUFFER 16
#define NUM_TILES (NUM_PT_IN_SEARCHSPACE / NUM_PT_IN_BUFFER)

void load(int flag, int load_idx, float *local_searchSpace, float *searchSpace_0) {
#pragma HLS INLINE OFF
  if (flag) {
    int start_idx = load_idx * NUM_PT_IN_BUFFER * NUM_FEATURE;
    memcpy(local_searchSpace, searchSpace_0 + start_idx, NUM_PT_IN_BUFFER * NUM_FEATURE * sizeof(float));
  }
}

void compute(int flag, float *local_inputQuery, float *local_searchSpace, float *local_distance) {
#pragma HLS INLINE OFF
  if (flag) {
    float delta_squared_sum = 0.0;
    for (int i = 0; i < NUM_PT_IN_BUFFER; ++i) {
      float sum = 0.0;
      for (int j = 0; j < NUM_FEATURE; ++j) {
#pragma HLS UNROLL
        float delta = local_searchSpace[i * NUM_FEATURE + j] - local_inputQuery[j];
        sum += delta * delta;
      }
      local_distance[i] = sum;
    }
  }
}

void store(int flag, int store_idx, float *local_distance, float *distance) {
#pragma HLS INLINE OFF
  if (flag) {
    int start_idx = store_idx * NUM_PT_IN_BUFFER;
    memcpy(distance + start_idx, local_distance, NUM_PT_IN_BUFFER * sizeof(float));
  }
}

extern "C" {
void workload(float inputQuery[NUM_FEATURE], float searchSpace[NUM_PT_IN_SEARCHSPACE * NUM_FEATURE], float distance[NUM_PT_IN_SEARCHSPACE]) {
#pragma HLS INTERFACE m_axi port=inputQuery offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=searchSpace offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=distance offset=slave bundle=gmem
  float local_inputQuery[NUM_FEATURE];
#pragma HLS ARRAY_PARTITION variable=local_inputQuery complete dim=1
  float local_searchSpace_0[NUM_PT_IN_BUFFER * NUM_FEATURE];
  float local_searchSpace_1[NUM_PT_IN_BUFFER * NUM_FEATURE];
  float local_searchSpace_2[NUM_PT_IN_BUFFER * NUM_FEATURE];
  float local_distance_0[NUM_PT_IN_BUFFER];
  float local_distance_1[NUM_PT_IN_BUFFER];
  float local_distance_2[NUM_PT_IN_BUFFER];
  memcpy(local_inputQuery, inputQuery, NUM_FEATURE * sizeof(float));

  for (int tile_idx = 0; tile_idx < NUM_TILES + 2; ++tile_idx) {
    int load_flag = tile_idx >= 0 && tile_idx < NUM_TILES;
    int compute_flag = tile_idx >= 1 && tile_idx < NUM_TILES + 1;
    int store_flag = tile_idx >= 2 && tile_idx < NUM_TILES + 2;
    if (tile_idx % 3 == 0) {
      load(load_flag, tile_idx, local_searchSpace_0, searchSpace);
      compute(compute_flag, local_inputQuery, local_searchSpace_2, local_distance_2);
      store(store_flag, tile_idx - 2, local_distance_1, distance);
    }
    else if (tile_idx % 3 == 1) {
      load(load_flag, tile_idx, local_searchSpace_1, searchSpace);
      compute(compute_flag, local_inputQuery, local_searchSpace_0, local_distance_0);
      store(store_flag, tile_idx - 2, local_distance_2, distance);
    }
    else {
      load(load_flag, tile_idx, local_searchSpace_2, searchSpace);
      compute(compute_flag, local_inputQuery, local_searchSpace_1, local_distance_1);
      store(store_flag, tile_idx - 2, local_distance_0, distance);
    }
  }
}
}
