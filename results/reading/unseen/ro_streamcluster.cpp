#define DIM 8
#define BATCH 32
extern "C" {
static float dist(float a[DIM], float b[DIM]) {
#pragma HLS INLINE
  float r = 0;
  for (int i = 0; i < DIM; i++) {
#pragma HLS UNROLL
    float d = a[i] - b[i];
    r += d * d;
  }
  return r;
}

void workload(float coord[BATCH * DIM], float weight[BATCH], float cost[BATCH], float target[DIM], int assign[BATCH],
              char switch_membership[BATCH], float *cost_of_opening) {
#pragma HLS INTERFACE m_axi port=coord offset=slave bundle=c
  float local_coord[BATCH][DIM], local_target[DIM];
#pragma HLS ARRAY_PARTITION variable=local_coord dim=2 complete
  for (int i = 0; i < DIM; i++) local_target[i] = target[i];
  for (int i = 0; i < BATCH; i++)
    for (int j = 0; j < DIM; j++) local_coord[i][j] = coord[i * DIM + j];
  float lower = 0;
  for (int i = 0; i < BATCH; i++) {
#pragma HLS PIPELINE II=1
    float x = dist(local_coord[i], local_target) * weight[i];
    if (x < cost[i]) {
      switch_membership[i] = 1;
      lower += x - cost[i];
      cost[i] = x;
    } else {
      switch_membership[i] = 0;
      assign[i]++;
    }
  }
  *cost_of_opening += lower;
}
}
