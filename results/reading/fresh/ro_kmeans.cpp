#include <float.h>
#define NPOINTS 32
#define NFEATURES 6
#define NCLUSTERS 4
#define TILE 8

void load_local(int flag, int index, const float *feature, float buf[TILE][NFEATURES]) {
  if (flag) {
    for (int i = 0; i < TILE; i++)
      for (int j = 0; j < NFEATURES; j++) buf[i][j] = feature[(index * TILE + i) * NFEATURES + j];
  }
}

void compute(int flag, float buf[TILE][NFEATURES], const float *clusters, int *member) {
  if (!flag) return;
  for (int i = 0; i < TILE; i++) {
    float min_dist = FLT_MAX;
    int index = 0;
    for (int k = 0; k < NCLUSTERS; k++) {
      float dist = 0.0;
      for (int j = 0; j < NFEATURES; j++) {
        float diff = buf[i][j] - clusters[NFEATURES * k + j];
        dist += diff * diff;
      }
      if (dist < min_dist) {
        min_dist = dist;
        index = k;
      }
    }
    member[i] = index;
  }
}

void store(int flag, int index, int *member, int *membership) {
  int i;
  if (flag)
    for (i = 0; i < TILE; i++) membership[index * TILE + i] = member[i];
}

extern "C" void workload(float *feature, float *clusters, int *membership) {
#pragma HLS INTERFACE m_axi port=feature offset=slave bundle=gmem depth=192
#pragma HLS INTERFACE m_axi port=clusters offset=slave bundle=gmem depth=24
#pragma HLS INTERFACE m_axi port=membership offset=slave bundle=gmem depth=32
  float f[2][TILE][NFEATURES], c[NCLUSTERS * NFEATURES];
  int m[2][TILE];
  for (int i = 0; i < NCLUSTERS * NFEATURES; i++) c[i] = clusters[i];
  const int tiles = NPOINTS / TILE;
  for (int t = 0; t < tiles + 2; t++) {
    load_local(t < tiles, t, feature, f[t % 2]);
    compute(t > 0 && t <= tiles, f[(t + 1) % 2], c, m[(t + 1) % 2]);
    store(t > 1, t - 2, m[t % 2], membership);
  }
}
