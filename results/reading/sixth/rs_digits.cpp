#include "ap_int.h"
#define NUM_TRAINING 40
#define DIGIT_WIDTH 4
#define K_CONST 3
#define PAR_FACTOR 4
typedef ap_uint<256> WholeDigitType;
typedef unsigned long long DigitType;

static int popcount(DigitType x)
{
  int cnt = 0;
  for (int i = 0; i < 64; i ++ )
    cnt += (x >> i) & 1;
  return cnt;
}

static void update_knn(DigitType test_inst[DIGIT_WIDTH], DigitType train_inst[DIGIT_WIDTH], int min_distances[K_CONST])
{
#pragma HLS inline
  int dist = 0;
  for (int i = 0; i < DIGIT_WIDTH; i ++ )
  {
    #pragma HLS unroll
    DigitType diff = test_inst[i] ^ train_inst[i];
    dist += popcount(diff);
  }
  int max_dist = 0;
  int max_dist_id = K_CONST+1;
  FIND_MAX_DIST: for (int k = 0; k < K_CONST; ++ k )
  {
    if ( min_distances[k] > max_dist )
    {
      max_dist = min_distances[k];
      max_dist_id = k;
    }
  }
  for (int k = 0; k < K_CONST; ++ k )
    if ( dist < max_dist && k == max_dist_id )
      min_distances[k] = dist;
}

extern "C" void DigitRec(DigitType training_samples[NUM_TRAINING * DIGIT_WIDTH], DigitType test[DIGIT_WIDTH], int min_distances[K_CONST])
{
  DigitType training_instance[DIGIT_WIDTH];
  SET_KNN_SET: for (int i = 0; i < K_CONST; ++ i )
    min_distances[i] = 256;
  TRAINING_LOOP : for ( int i = 0; i < NUM_TRAINING; ++i )
  {
    #pragma HLS pipeline
    for (int j = 0; j < DIGIT_WIDTH; j++ )
      training_instance[j] = training_samples[i * DIGIT_WIDTH + j];
    update_knn( test, training_instance, min_distances );
  }
}
