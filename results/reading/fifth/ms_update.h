#include <stdint.h>
#include <stdlib.h>
#include <stdio.h>
#include <math.h>

#define TYPE double
#define input_dimension 5
#define nodes_per_layer 8
#define possible_outputs 3
#define W1_LEN (input_dimension * nodes_per_layer)
#define W2_LEN (nodes_per_layer * nodes_per_layer)
#define W3_LEN (nodes_per_layer * possible_outputs)
#define learning_rate 0.01

struct bench_args_t {
    TYPE weights1[W1_LEN];
    TYPE weights3[W3_LEN];
};
