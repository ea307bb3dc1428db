#include "ap_int.h"
#include "ap_fixed.h"
#define NUM_FEATURES 32
#define NUM_TRAINING 6
#define PAR_FACTOR 4
#define FTYPE_TWIDTH 16
#define FTYPE_IWIDTH 8
#define DTYPE_TWIDTH 16
#define DTYPE_IWIDTH 4
#define VFTYPE_WIDTH  64
#define D_VECTOR_SIZE (VFTYPE_WIDTH / DTYPE_TWIDTH)

typedef ap_fixed<FTYPE_TWIDTH,FTYPE_IWIDTH> FeatureType;
typedef ap_fixed<DTYPE_TWIDTH,DTYPE_IWIDTH> DataType;
typedef ap_uint<VFTYPE_WIDTH> VectorDataType;
typedef ap_uint<8> LabelType;

static void read_data(VectorDataType *data, DataType *training_instance, int tid) {
  READ_TRAINING_DATA: for (int i = 0; i < NUM_FEATURES / D_VECTOR_SIZE; i++) {
    #pragma HLS pipeline
    VectorDataType tmp_data = data[tid * NUM_FEATURES / D_VECTOR_SIZE + i];
    READ_TRAINING_DATA_INNER: for (int j = 0; j < D_VECTOR_SIZE; j++)
      training_instance[i * D_VECTOR_SIZE + j].range(DTYPE_TWIDTH - 1, 0) = tmp_data.range((j + 1) * DTYPE_TWIDTH - 1, j * DTYPE_TWIDTH);
  }
}

FeatureType dotProduct(FeatureType param[NUM_FEATURES], DataType feature[NUM_FEATURES]) {
  const int unroll_factor = PAR_FACTOR;
  #pragma HLS array_partition variable=param cyclic factor=unroll_factor
  FeatureType result = 0;
  DOT: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++) {
    #pragma HLS PIPELINE II=1
    DOT_INNER: for(int j = 0; j < PAR_FACTOR; j++) {
      FeatureType term = param[i*PAR_FACTOR+j] * feature[i*PAR_FACTOR+j];
      result = result + term;
    }
  }
  return result;
}

void scores(VectorDataType data[NUM_FEATURES * NUM_TRAINING / D_VECTOR_SIZE], LabelType label[NUM_TRAINING],
            FeatureType theta[NUM_FEATURES], ap_uint<4> &errors) {
  DataType training_instance[NUM_FEATURES];
  #pragma HLS array_partition variable=training_instance cyclic factor=PAR_FACTOR
  ap_uint<4> wrong = 0;
  TRAINING_INST: for (int training_id = 0; training_id < NUM_TRAINING; training_id++) {
    read_data(data, training_instance, training_id);
    FeatureType dot = dotProduct(theta, training_instance);
    LabelType prediction = (dot > 0) ? 1 : 0;
    if (prediction != label[training_id]) wrong++;
  }
  errors = wrong;
}
