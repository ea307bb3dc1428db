#include <string.h>

#define SIZE 16
#define UNROLL 4

extern "C" {

void fan1(float m[SIZE * SIZE], float a[SIZE * SIZE], int t) {
    for (int i = 0; i < SIZE - 1 - t; i++) {
        m[SIZE * (i + t + 1) + t] = a[SIZE * (i + t + 1) + t] / a[SIZE * t + t];
    }
}

void fan2(float m[SIZE * SIZE], float a[SIZE * SIZE], float b[SIZE], int t) {
    for (int i = 0; i < SIZE - 1 - t; i++) {
        for (int j = 0; j < SIZE - t; j++) {
            a[SIZE * (i + 1 + t) + (j + t)] -= m[SIZE * (i + 1 + t) + t] * a[SIZE * t + (j + t)];
        }
        b[i + 1 + t] -= m[SIZE * (i + 1 + t) + t] * b[t];
    }
}

void workload(float a[SIZE * SIZE], float b[SIZE], float finalVec[SIZE]) {
#pragma HLS INTERFACE m_axi port=a offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=b offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=finalVec offset=slave bundle=gmem
#pragma HLS INTERFACE s_axilite port=return bundle=control
    float m[SIZE * SIZE];
    memset(m, 0, sizeof(m));
    for (int t = 0; t < SIZE - 1; t++) {
        fan1(m, a, t);
        fan2(m, a, b, t);
    }

    for (int i = 0; i < SIZE; i++) {
        finalVec[SIZE - i - 1] = b[SIZE - i - 1];
        for (int j = 0; j < i; j++) {
            finalVec[SIZE - i - 1] -= a[SIZE * (SIZE - i - 1) + (SIZE - j - 1)] * finalVec[SIZE - j - 1];
        }
        finalVec[SIZE - i - 1] = finalVec[SIZE - i - 1] / a[SIZE * (SIZE - i - 1) + (SIZE - i - 1)];
    }
}

}
