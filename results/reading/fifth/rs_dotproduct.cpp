#include "ap_fixed.h"
#include <string.h>

#define NUM_FEATURES 64
#define NUM_TRAINING 6
#define PAR_FACTOR 8
#define NUM_EPOCHS 1

typedef ap_fixed<16, 4> DataType;
typedef ap_fixed<32, 13> FeatureType;
typedef ap_uint<8> LabelType;

FeatureType dotProduct(FeatureType param[NUM_FEATURES], DataType feature[NUM_FEATURES]) {
    const int unroll_factor = PAR_FACTOR;
    #pragma HLS array_partition variable=param cyclic factor=unroll_factor
    #pragma HLS array_partition variable=feature cyclic factor=unroll_factor

    FeatureType result = 0;
    DOT: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++) {
        #pragma HLS PIPELINE II=1
        DOT_INNER: for (int j = 0; j < PAR_FACTOR; j++) {
            FeatureType term = param[i * PAR_FACTOR + j] * feature[i * PAR_FACTOR + j];
            result += term;
        }
    }
    return result;
}

FeatureType hardSigmoid(FeatureType x) {
    if (x > FeatureType(4))
        return 1;
    else if (x < FeatureType(-4))
        return 0;
    FeatureType y = (x >> 3) + FeatureType(0.5);
    return y;
}

void computeGradient(FeatureType grad[NUM_FEATURES], DataType feature[NUM_FEATURES], FeatureType scale) {
    GRAD: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++) {
        #pragma HLS PIPELINE II=1
        GRAD_INNER: for (int j = 0; j < PAR_FACTOR; j++)
            grad[i * PAR_FACTOR + j] = (scale * feature[i * PAR_FACTOR + j]);
    }
}

void updateParameter(FeatureType param[NUM_FEATURES], FeatureType grad[NUM_FEATURES], FeatureType scale) {
    UPDATE: for (int i = 0; i < NUM_FEATURES / PAR_FACTOR; i++) {
        #pragma HLS PIPELINE II=1
        UPDATE_INNER: for (int j = 0; j < PAR_FACTOR; j++)
            param[i * PAR_FACTOR + j] += scale * grad[i * PAR_FACTOR + j];
    }
}

extern "C" void SgdLR(DataType data[NUM_FEATURES * NUM_TRAINING], LabelType label[NUM_TRAINING],
                      FeatureType theta[NUM_FEATURES], bool readLabels, bool writeOutput) {
    static FeatureType gradient[NUM_FEATURES];
    DataType training_instance[NUM_FEATURES];

    EPOCH: for (int epoch = 0; epoch < NUM_EPOCHS; epoch++) {
        TRAINING_INST: for (int training_id = 0; training_id < NUM_TRAINING; training_id++) {
            READ: for (int i = 0; i < NUM_FEATURES; i++)
                training_instance[i] = data[NUM_FEATURES * training_id + i];
            FeatureType dot = dotProduct(theta, training_instance);
            FeatureType prob = hardSigmoid(dot);
            LabelType training_label = label[training_id];
            computeGradient(gradient, training_instance, (prob - (FeatureType)training_label));
            updateParameter(theta, gradient, -0.0625);
        }
    }
}
