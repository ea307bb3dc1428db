#include "ap_int.h"
#include <iostream>
typedef unsigned long long DigitType;
#define DIGIT_WIDTH 4
#define NUM_TRAINING 24
#define NUM_TEST 4
#define K_CONST 3
typedef ap_uint<256> WholeDigitType;
static const unsigned long long m1 = 0x5555555555555555, m2 = 0x3333333333333333, m4 = 0x0f0f0f0f0f0f0f0f;

int popcount(WholeDigitType x) {
  int cnt = 0;
  for (int i = 0; i < 256; i++)
#pragma HLS unroll
    cnt = cnt + x[i];
  return cnt;
}
static inline int pop64(unsigned long long x) {
  x -= (x >> 1) & m1;
  x = (x & m2) + ((x >> 2) & m2);
  x = (x + (x >> 4)) & m4;
  x += x >> 8;
  x += x >> 16;
  x += x >> 32;
  return x & 0x7f;
}
void update_knn(WholeDigitType test_inst, WholeDigitType train_inst, int min_distances[K_CONST]) {
#pragma HLS inline
  WholeDigitType diff = test_inst ^ train_inst;
  int dist = 0;
  for (int i = 0; i < DIGIT_WIDTH; i++) dist += pop64((unsigned long long)diff.range(64 * i + 63, 64 * i));
  int max_dist = 0, max_dist_id = K_CONST + 1;
  for (int k = 0; k < K_CONST; ++k) {
    if (min_distances[k] > max_dist) {
      max_dist = min_distances[k];
      max_dist_id = k;
    }
  }
  if (dist < max_dist)
    for (int k = 0; k < K_CONST; ++k)
      if (k == max_dist_id) min_distances[k] = dist;
}

void DigitRec(WholeDigitType training_samples[NUM_TRAINING], WholeDigitType test_set[NUM_TEST],
              int results[NUM_TEST][K_CONST], int weight[NUM_TEST]) {
  int knn_set[K_CONST];
#pragma HLS array_partition variable=knn_set complete dim=0
  for (int t = 0; t < NUM_TEST; ++t) {
  SET_KNN_SET:
    for (int i = 0; i < K_CONST; ++i) knn_set[i] = 256;
  TRAINING_LOOP:
    for (int i = 0; i < NUM_TRAINING; ++i) {
#pragma HLS pipeline
      update_knn(test_set[t], training_samples[i], knn_set);
    }
    for (int i = 0; i < K_CONST; ++i) results[t][i] = knn_set[i];
    weight[t] = popcount(test_set[t]);
  }
}
