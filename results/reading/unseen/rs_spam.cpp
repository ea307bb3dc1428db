#include "ap_fixed.h"
#include "ap_int.h"
#define NUM_FEATURES 32
#define NUM_SAMPLES 6
#define PAR 4
typedef ap_fixed<20, 5> FeatureType;
typedef ap_fixed<16, 4> DataType;
typedef ap_ufixed<16, 1> ProbType;
typedef ap_uint<1> LabelType;
#define STEP 0.03125

static FeatureType dot(const FeatureType param[NUM_FEATURES], const DataType feature[NUM_FEATURES]) {
  FeatureType partial[PAR] = {0, 0, 0, 0};
#pragma HLS array_partition variable=partial complete
DOT:
  for (int i = 0; i < NUM_FEATURES / PAR; i++) {
#pragma HLS pipeline II=1
    for (int j = 0; j < PAR; j++) partial[j] += param[i * PAR + j] * feature[i * PAR + j];
  }
  return partial[0] + partial[1] + partial[2] + partial[3];
}

static ProbType sigmoid(FeatureType x) {
  if (x >= 4) return ProbType(0.99);
  if (x <= -4) return 0;
  FeatureType half = x / 8 + FeatureType(0.5);
  return (ProbType)half;
}

void spam(const DataType data[NUM_SAMPLES][NUM_FEATURES], const LabelType label[NUM_SAMPLES],
          FeatureType theta[NUM_FEATURES]) {
  for (int s = 0; s < NUM_SAMPLES; s++) {
    ProbType p = sigmoid(dot(theta, data[s]));
    FeatureType err = FeatureType(p) - FeatureType(label[s]);
    for (int i = 0; i < NUM_FEATURES; i++) {
#pragma HLS unroll factor=4
      theta[i] -= FeatureType(STEP) * err * data[s][i];
    }
  }
}
