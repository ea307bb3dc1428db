#include "ap_fixed.h"
#include "ap_int.h"
#define NUM_FEATURES 32
#define NUM_SAMPLES 6
#define NUM_TRAINING 4
#define PAR_FACTOR 8
#define NUM_EPOCHS 2
#define STEP_SIZE 60000
typedef ap_fixed<32, 13> FeatureType;
typedef ap_fixed<16, 4> DataType;
typedef ap_uint<8> LabelType;

FeatureType dotProduct(FeatureType param[NUM_FEATURES], DataType feature[NUM_FEATURES]) {
#pragma HLS INLINE
#pragma HLS array_partition variable=param cyclic factor=PAR_FACTOR
  FeatureType result = 0;
DOT:
  for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++) {
#pragma HLS PIPELINE II=1
  DOT_INNER:
    for (int j = 0; j < PAR_FACTOR; j++) {
      FeatureType term = param[i * PAR_FACTOR + j] * feature[i * PAR_FACTOR + j];
      result += term;
    }
  }
  return result;
}
FeatureType Sigmoid(FeatureType exponent) {
  FeatureType half = exponent * FeatureType(0.25) + FeatureType(0.5);
  if (half > 1) return 1;
  if (half < 0) return 0;
  return half;
}
void computeGradient(FeatureType grad[NUM_FEATURES], DataType feature[NUM_FEATURES], FeatureType scale) {
GRAD:
  for (int i = 0; i < NUM_FEATURES; i++) {
#pragma HLS unroll factor=PAR_FACTOR
    grad[i] = (scale * feature[i]);
  }
}
void updateParameter(FeatureType param[NUM_FEATURES], FeatureType grad[NUM_FEATURES], FeatureType scale) {
UPDATE:
  for (int i = 0; i < NUM_FEATURES; i++) param[i] += scale * grad[i];
}
extern "C" void SgdLR(DataType data[NUM_FEATURES * NUM_TRAINING], LabelType label[NUM_TRAINING],
                      FeatureType theta[NUM_FEATURES]) {
  FeatureType gradient[NUM_FEATURES];
  static DataType training_instance[NUM_FEATURES];
EPOCH:
  for (int epoch = 0; epoch < NUM_EPOCHS; epoch++) {
  TRAINING_INST:
    for (int training_id = 0; training_id < NUM_TRAINING; training_id++) {
    READ:
      for (int i = 0; i < NUM_FEATURES; i++) training_instance[i] = data[training_id * NUM_FEATURES + i];
      LabelType training_label = label[training_id];
      FeatureType dot = dotProduct(theta, training_instance);
      FeatureType prob = Sigmoid(dot);
      FeatureType d = prob - training_label;
      computeGradient(gradient, training_instance, d);
      updateParameter(theta, gradient, FeatureType(-0.05));
    }
  }
}
