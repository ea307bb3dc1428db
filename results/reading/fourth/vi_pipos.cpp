#include <cassert>
#define N 100
#define TRIALS 2
typedef unsigned char data_t;
#ifndef __SYNTHESIS__
#include <iostream>
#endif

void funcA(data_t f1In[N], data_t f1Out1[N], data_t f1Out2[N]) {
#pragma HLS inline off
Loop0:
    for (int i = 0; i < N; i++) {
#pragma HLS pipeline rewind
#pragma HLS unroll factor = 2
        data_t t = f1In[i] * 3;
        f1Out1[i] = t;
        f1Out2[i] = t;
    }
}
void funcB(data_t f2In[N], data_t f2Out[N]) {
#pragma HLS inline off
Loop0:
    for (int i = 0; i < N; i++) {
        f2Out[i] = f2In[N - 1 - i] + 25;
    }
}
void funcC(data_t f3In[N], data_t f3Out[N]) {
#pragma HLS inline off
Loop0:
    for (data_t i = 0; i < N; i++) {
        f3Out[i] = f3In[i] * 2;
    }
}
void funcD(data_t f4In1[N], data_t f4In2[N], data_t f4Out[N], int len) {
#pragma HLS inline off
    assert(len <= N && "too long");
Loop0:
    for (int i = 0; i < len; i++) {
        f4Out[i] = f4In1[i] + f4In2[i] * 2;
    }
}
void diamond(data_t vecIn[N], data_t vecOut[N]) {
    data_t c1[N], c2[N], c3[N], c4[N];
#pragma HLS STREAM variable=c1 type=pipo depth=3
#pragma HLS dataflow
    funcA(vecIn, c1, c2);
    funcB(c1, c3);
    funcC(c2, c4);
    funcD(c3, c4, vecOut, N);
}
