/* digit recognition: Hamming distances to a training set of 4 x 64 bits and three nearest */
#include "ap_int.h"
#define NUM_TRAINING 12
#define PAR 4
#define DIGIT_WIDTH 4
#define K_CONST 3
typedef unsigned long long DigitType;

int popcount(DigitType x) {
  const unsigned long long m1 = 0x5555555555555555;
  const unsigned long long m2 = 0x3333333333333333;
  const unsigned long long m4 = 0x0f0f0f0f0f0f0f0f;
  x -= (x >> 1) & m1;
  x = (x & m2) + ((x >> 2) & m2);
  x = (x + (x >> 4)) & m4;
  x += x >> 8;
  x += x >> 16;
  x += x >> 32;
  return x & 0x7f;
}

void update_knn(DigitType test_inst[DIGIT_WIDTH], DigitType train_inst[DIGIT_WIDTH], int min_distances[K_CONST]) {
#pragma HLS inline
  int dist = 0;
  for (int i = 0; i < DIGIT_WIDTH; ++i) {
    DigitType diff = test_inst[i] ^ train_inst[i];
    dist += popcount(diff);
  }
  int max_dist = 0, max_dist_id = K_CONST + 1;
FIND_MAX_DIST:
  for (int k = 0; k < K_CONST; ++k) {
    if (min_distances[k] > max_dist) {
      max_dist = min_distances[k];
      max_dist_id = k;
    }
  }
  if (dist < max_dist) min_distances[max_dist_id] = dist;
}

void DigitRec(DigitType training[NUM_TRAINING * DIGIT_WIDTH], DigitType test[DIGIT_WIDTH], int results[K_CONST]) {
  int dists[K_CONST];
SET:
  for (int i = 0; i < K_CONST; ++i) dists[i] = 256;
TRAIN:
  for (int i = 0; i < NUM_TRAINING; ++i) update_knn(test, &training[i * DIGIT_WIDTH], dists);
  for (int i = 0; i < K_CONST; i++) results[i] = dists[i];
}
