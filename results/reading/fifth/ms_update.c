#include "ms_update.h"

void update_weights(TYPE weights1[W1_LEN],
                    TYPE weights3[W3_LEN],
                    TYPE d_weights1[W1_LEN],
                    TYPE d_weights3[W3_LEN],
                    TYPE biases1[nodes_per_layer],
                    TYPE d_biases1[nodes_per_layer]) {
    int i, j;
    double norm, bias_norm;
    norm = 0.0;
    bias_norm = 0.0;

    for (i = 0; i < input_dimension; i++) {
        for (j = 0; j < nodes_per_layer; j++) {
            weights1[i * nodes_per_layer + j] -= (d_weights1[i * nodes_per_layer + j] * learning_rate);
            norm += weights1[i * nodes_per_layer + j] * weights1[i * nodes_per_layer + j];
        }
    }
    for (i = 0; i < nodes_per_layer; i++) {
        biases1[i] -= (d_biases1[i] * learning_rate);
        bias_norm += biases1[i] * biases1[i];
    }

    norm = sqrt(norm);
    bias_norm = sqrt(bias_norm);

    for (i = 0; i < input_dimension; i++) {
        for (j = 0; j < nodes_per_layer; j++) {
            weights1[i * nodes_per_layer + j] = (weights1[i * nodes_per_layer + j] / norm);
        }
    }
    for (i = 0; i < nodes_per_layer; i++) {
        biases1[i] = (biases1[i] / bias_norm);
    }

    norm = 0.0;
    for (i = 0; i < nodes_per_layer; i++) {
        for (j = 0; j < possible_outputs; j++) {
            weights3[i * possible_outputs + j] -= (d_weights3[i * possible_outputs + j] * learning_rate);
            norm += weights3[i * possible_outputs + j] * weights3[i * possible_outputs + j];
        }
    }
    norm = sqrt(norm);
    for (i = 0; i < nodes_per_layer; i++) {
        for (j = 0; j < possible_outputs; j++) {
            weights3[i * possible_outputs + j] = (weights3[i * possible_outputs + j] / norm);
        }
    }
}
