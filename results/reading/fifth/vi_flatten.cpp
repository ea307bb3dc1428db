#include <hls_math.h>

#define M 12
#define K 16
#define N 8

void matmul_flat(const float a[M * K], const float b[K * N], float c[M * N]) {
#pragma HLS INTERFACE mode=m_axi port=a bundle=g0
#pragma HLS INTERFACE mode=m_axi port=b bundle=g1
    float acc = 0;
    int i = 0, j = 0, k = 0;
    for (int it = 0; it < M * N * K; it++) {
#pragma HLS PIPELINE II=1
        if (k == 0) acc = 0;
        acc += a[i * K + k] * b[k * N + j];
        if (k == K - 1) c[i * N + j] = acc;
        if (++k == K) {
            k = 0;
            if (++j == N) {
                j = 0;
                i++;
            }
        }
    }
}
