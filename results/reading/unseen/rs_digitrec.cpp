#include <ap_int.h>
#include <stdint.h>
#define WIDTH 49
#define TRAIN 40
#define TEST 6
#define K_CONST 3
typedef ap_uint<WIDTH> DigitType;
typedef uint8_t LabelType;

static int popcount(DigitType x) {
  int count = 0;
  for (int i = 0; i < WIDTH; i++) {
#pragma HLS UNROLL
    count += x[i];
  }
  return count;
}

static void update_knn(DigitType test, DigitType train, int dists[K_CONST]) {
#pragma HLS INLINE
  DigitType diff = test ^ train;
  int dist = popcount(diff), max_dist = 0, max_id = K_CONST + 1;
FIND_MAX:
  for (int k = 0; k < K_CONST; ++k) {
    if (dists[k] > max_dist) {
      max_dist = dists[k];
      max_id = k;
    }
  }
REPLACE:
  for (int k = 0; k < K_CONST; ++k)
    if (max_id == k && dist < max_dist) dists[k] = dist;
}

void digitrec(DigitType training[TRAIN], DigitType tests[TEST], int nearest[TEST * K_CONST]) {
  int dists[K_CONST];
#pragma HLS array_partition variable=dists complete dim=0
TESTS:
  for (int t = 0; t < TEST; ++t) {
    SET : for (int k = 0; k < K_CONST; ++k) dists[k] = 256;
  TRAINING:
    for (int i = 0; i < TRAIN; ++i) {
#pragma HLS pipeline
      update_knn(tests[t], training[i], dists);
    }
    OUT : for (int k = 0; k < K_CONST; ++k) nearest[t * K_CONST + k] = dists[k];
  }
}
