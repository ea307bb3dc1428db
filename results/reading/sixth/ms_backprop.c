#include <math.h>
#define input_dimension  13
#define possible_outputs  3
#define nodes_per_layer  16
#define layers            2
#define max               1.0

static void matrix_vector_product_with_bias_input_layer(double biases[nodes_per_layer],
                                                 double weights[input_dimension*nodes_per_layer],
                                                 double activations[nodes_per_layer],
                                                 double input_sample[input_dimension]){
    int i,j;
    for(j = 0; j < nodes_per_layer; j++){
        activations[j] = (double)0.0;
        for (i = 0; i < input_dimension; i++){
            activations[j] += weights[j*input_dimension + i] * input_sample[i];
        }
    }
    for(i = 0; i < nodes_per_layer; i++)
        activations[i] = activations[i] + biases[i];
}

static void RELU(double activations[nodes_per_layer], double dactivations[nodes_per_layer], int size) {
    int i;
    for( i = 0; i < size; i++) {
        dactivations[i] = activations[i]*(1.0-activations[i]);
        activations[i] = 1.0/(1.0+exp(-activations[i]));
    }
}

static void get_delta_matrix_weights1(double delta_weights1[input_dimension*nodes_per_layer],
                               double output_difference[nodes_per_layer],
                               double last_activations[input_dimension]) {
    int i, j;
    for( i = 0; i < input_dimension; i++) {
        for( j = 0; j < nodes_per_layer; j++) {
            delta_weights1[i*nodes_per_layer + j] = last_activations[i] * output_difference[j];
        }
    }
}

void backprop_first(double weights1[input_dimension*nodes_per_layer], double biases1[nodes_per_layer],
                    double training_data[4*input_dimension], double oracle[nodes_per_layer]) {
    int i,j;
    double activations1[nodes_per_layer];
    double dactivations1[nodes_per_layer];
    double diff[nodes_per_layer];
    double delta_weights1[input_dimension*nodes_per_layer];

    for(i=0; i<4; i++){
        for(j=0;j<nodes_per_layer;j++){
            activations1[j] = (double)0.0;
        }
        matrix_vector_product_with_bias_input_layer(biases1, weights1, activations1, &training_data[i*input_dimension]);
        RELU(activations1, dactivations1, nodes_per_layer);
        for(j = 0; j < nodes_per_layer; j++)
            diff[j] = (((activations1[j]) - oracle[j]) * -1.0) * (dactivations1[j]);
        get_delta_matrix_weights1(delta_weights1, diff, &training_data[i*input_dimension]);
        for(j=0; j<input_dimension*nodes_per_layer; j++)
            weights1[j] -= delta_weights1[j] * 0.01;
    }
}
