#include "stdint.h"
typedef int8_t din_t;
typedef int16_t dout_t;
typedef int32_t dint_t;
#define NUM_TRANS 40

static int sumsub_func(din_t *in1, din_t *in2, dint_t *outSum, dint_t *outSub) {
    *outSum = *in1 + *in2;
    *outSub = *in1 - *in2;
    return 0;
}

static int shift_func(dint_t *in1, dint_t *in2, dout_t *outA, dout_t *outB) {
    *outA = *in1 >> 1;
    *outB = *in2 >> 2;
    return 1;
}

static void hier_func4(din_t A, din_t B, dout_t *C, dout_t *D) {
    dint_t apb, amb;
    sumsub_func(&A, &B, &apb, &amb);
#ifndef __SYNTHESIS__
    (void)apb;
#endif
    shift_func(&apb, &amb, C, D);
}

void hier_top(din_t A[NUM_TRANS], din_t B[NUM_TRANS], dout_t C[NUM_TRANS], dout_t D[NUM_TRANS]) {
    for (int i = 0; i < NUM_TRANS; i++)
        hier_func4(A[i], B[i], &C[i], D + i);
}
