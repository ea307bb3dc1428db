#include <math.h>
#define input_dimension  5
#define possible_outputs  3
#define nodes_per_layer  8
#define training_sets 2
#define learning_rate  0.01

static void soft_max(double net_outputs[possible_outputs], double activations[possible_outputs]) {
    int i;
    double sum;
    sum = (double) 0.0;

    for(i=0; i < possible_outputs; i++) {
        sum += exp(-activations[i]);
    }
    for(i=0; i < possible_outputs; i++) {
        net_outputs[i] = exp(-activations[i])/sum;
    }
}

static void RELU(double activations[nodes_per_layer], double dactivations[nodes_per_layer], int size) {
    int i;
    for( i = 0; i < size; i++) {
        dactivations[i] = activations[i]*(1.0-activations[i]);
        activations[i] = 1.0/(1.0+exp(-activations[i]));
    }
}

static void get_oracle_activations(double weights[nodes_per_layer*possible_outputs],
                          double output_differences[possible_outputs],
                          double oracle_activations[nodes_per_layer],
                          double dactivations[nodes_per_layer]) {
    int i, j;
    for( i = 0; i < nodes_per_layer; i++) {
        oracle_activations[i] = (double)0.0;
        for( j = 0; j < possible_outputs; j++) {
            oracle_activations[i] += output_differences[j] * weights[i*possible_outputs + j];
        }
        oracle_activations[i] = oracle_activations[i] * dactivations[i];
    }
}

void oracle(double weights[nodes_per_layer*possible_outputs],
            double biases[possible_outputs],
            double inputs[training_sets*nodes_per_layer],
            double targets[training_sets*possible_outputs],
            double oracle_activations[training_sets*nodes_per_layer]) {
    int i, j, k;
    double activations[nodes_per_layer], dactivations[nodes_per_layer];
    double net_outputs[possible_outputs], outputs[possible_outputs], diff[possible_outputs];
    double norm, bias_norm;

    for(i=0; i<training_sets; i++){
        for(j=0; j<nodes_per_layer; j++) activations[j] = inputs[i*nodes_per_layer + j];
        RELU(activations, dactivations, nodes_per_layer);
        for(j=0; j<possible_outputs; j++){
            outputs[j] = (double)0.0;
            for(k=0; k<nodes_per_layer; k++) outputs[j] += weights[k*possible_outputs + j]*activations[k];
            outputs[j] += biases[j];
        }
        soft_max(net_outputs, outputs);
        for(j=0; j<possible_outputs; j++)
            diff[j] = (((net_outputs[j]) - targets[i*possible_outputs + j]) * -1.0) * (outputs[j]*(1.0-outputs[j]));
        get_oracle_activations(weights, diff, &oracle_activations[i*nodes_per_layer], dactivations);

        norm = 0.0;
        bias_norm = 0.0;
        for(j=0; j < nodes_per_layer; j++)
            for(k = 0; k < possible_outputs; k++) {
                weights[j*possible_outputs + k] -= (activations[j]*diff[k] * learning_rate);
                norm += weights[j*possible_outputs + k]*weights[j*possible_outputs + k];
            }
        for(k=0; k<possible_outputs;k++) {
            biases[k] -= (diff[k]*learning_rate);
            bias_norm += biases[k]*biases[k];
        }
        norm = sqrt(norm);
        bias_norm = sqrt(bias_norm);
        for(j=0; j < nodes_per_layer; j++)
            for(k = 0; k < possible_outputs; k++)
                weights[j*possible_outputs + k] = (weights[j*possible_outputs + k]/norm);
        for(k=0; k < possible_outputs; k++)
            biases[k] = (biases[k]/bias_norm);
    }
}
