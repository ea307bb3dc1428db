#include "ap_fixed.h"
#include "ap_int.h"
#define NUM_FEATURES 32
#define NUM_TRAINING 6
#define PAR_FACTOR 8
#define STEP_SIZE 60000
#define DTYPE_TWIDTH 16
#define DTYPE_IWIDTH 4
#define FTYPE_TWIDTH 32
#define FTYPE_IWIDTH 13
typedef ap_fixed<FTYPE_TWIDTH, FTYPE_IWIDTH> FeatureType;
typedef ap_fixed<DTYPE_TWIDTH, DTYPE_IWIDTH> DataType;
typedef ap_uint<8> LabelType;

static FeatureType dotProduct(FeatureType param[NUM_FEATURES], DataType feature[NUM_FEATURES])
{
  FeatureType result = 0;
  DOT: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++)
  {
    #pragma HLS PIPELINE II=1
    DOT_INNER: for(int j = 0; j < PAR_FACTOR; j++)
    {
      FeatureType term = param[i*PAR_FACTOR+j] * feature[i*PAR_FACTOR+j];
      result += term;
    }
  }
  return result;
}

static FeatureType Sigmoid(FeatureType exponent)
{
  if (exponent > 4)
    return 1.0;
  else if (exponent < -4)
    return 0.0;
  FeatureType inc = exponent / 8;
  return inc + FeatureType(0.5);
}

static void computeGradient(FeatureType grad[NUM_FEATURES], DataType feature[NUM_FEATURES], FeatureType scale)
{
  GRAD: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++)
    GRAD_INNER: for (int j = 0; j < PAR_FACTOR; j++)
      grad[i*PAR_FACTOR+j] = (scale * feature[i*PAR_FACTOR+j]);
}

static void updateParameter(FeatureType param[NUM_FEATURES], FeatureType grad[NUM_FEATURES], FeatureType scale)
{
  for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++)
    for (int j = 0; j < PAR_FACTOR; j++)
      param[i*PAR_FACTOR+j] += scale * grad[i*PAR_FACTOR+j];
}

extern "C" void SgdLR(DataType data[NUM_FEATURES * NUM_TRAINING], LabelType label[NUM_TRAINING], FeatureType theta[NUM_FEATURES])
{
  static FeatureType gradient[NUM_FEATURES];
  DataType training_instance[NUM_FEATURES];
  #pragma HLS array_partition variable=gradient cyclic factor=8
  TRAINING_INST: for (int training_id = 0; training_id < NUM_TRAINING; training_id ++)
  {
    for (int i = 0; i < NUM_FEATURES; i++)
      training_instance[i] = data[training_id * NUM_FEATURES + i];
    LabelType training_label = label[training_id];
    FeatureType dot = dotProduct(theta, training_instance);
    FeatureType prob = Sigmoid(dot);
    computeGradient(gradient, training_instance, (prob - (FeatureType)training_label));
    updateParameter(theta, gradient, -0.125);
  }
}
