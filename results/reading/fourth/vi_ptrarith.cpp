#include <ap_int.h>
typedef int dio_t;
#define M 4
#define NUM 20

// pointer arithmetic on an interface, with a static sum
void pointer_arith(dio_t *d) {
    static int acc = 0;
    int i;
    for (i = 0; i < M; i++) {
        acc += *(d + i + 1);
        *(d + i) = acc;
    }
}

// shift operators of standard types
void types_standard(char inA, short inB, int inC, long long inD, int *out1, unsigned char *out2, int *out3, long long *out4) {
    *out1 = inA * inB;
    *out2 = inB + inA;
    *out3 = inC / 7 - inA % 3;
    *out4 = inD >> 3 ^ (long long)inC << 20;
}

void mixed(dio_t d[M + 1], char inA[NUM], short inB[NUM], int inC[NUM], long long inD[NUM], int out1[NUM], unsigned char out2[NUM], int out3[NUM], long long out4[NUM]) {
    pointer_arith(d);
    short *b = inB;
    const int *c = inC + NUM - 1;
    for (int i = 0; i < NUM; ++i, ++b)
        types_standard(inA[i], *b, *c--, inD[i], out1 + i, &out2[i], &out3[i], out4 + i);
}
