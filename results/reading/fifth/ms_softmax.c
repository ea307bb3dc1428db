#include <math.h>
#include <stdint.h>

#define TYPE float
#define NODES 16
#define OUTS 4

static void relu(TYPE activations[NODES], TYPE dactivations[NODES], int size) {
    int i;
    for (i = 0; i < size; i++) {
        dactivations[i] = activations[i] * (1.0 - activations[i]);
        activations[i] = activations[i] > 0 ? activations[i] : 0;
    }
}

static void add_bias_to_activations(TYPE biases[NODES], TYPE activations[NODES], int size) {
    int i;
    for (i = 0; i < size; i++) {
        activations[i] = activations[i] + biases[i];
    }
}

void output_layer(TYPE biases[NODES], TYPE weights[NODES * NODES], TYPE wout[NODES * OUTS],
                  TYPE x[NODES], TYPE dact[NODES], TYPE net_outputs[OUTS]) {
    int i, j;
    TYPE act[NODES];
    TYPE outs[OUTS];
    TYPE sum;

    for (j = 0; j < NODES; j++) {
        act[j] = (TYPE)0.0;
        for (i = 0; i < NODES; i++) {
            act[j] += weights[j * NODES + i] * x[i];
        }
    }
    add_bias_to_activations(biases, act, NODES);
    relu(act, dact, NODES);
    for (j = 0; j < OUTS; j++) {
        outs[j] = 0;
        for (i = 0; i < NODES; i++)
            outs[j] += wout[j * NODES + i] * act[i];
    }
    sum = (TYPE)0.0;
    for (i = 0; i < OUTS; i++) {
        sum += exp(-outs[i]);
    }
    for (i = 0; i < OUTS; i++) {
        net_outputs[i] = exp(-outs[i]) / sum;
    }
}
