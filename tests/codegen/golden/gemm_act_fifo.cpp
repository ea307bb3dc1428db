// Graph '3mm', emitted by streamopt VERSION.
// Schedule sha256 ee118f7df0563d5ac71fc0f1732f5c7728da93cb879f750bd70b07d0472cd096.
#include "kernel_3mm.h"
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <hls_stream.h>

// Node 'gemm': C[i][j] over i 8, j 6, k 4
static void gemm(
    const float A[8][4],
    const float B[4][6],
    hls::stream<float, 8> C[2][3]) {
    float C_acc[8][6];
    #pragma HLS array_partition variable=C_acc type=cyclic factor=2 dim=1
    #pragma HLS array_partition variable=C_acc type=cyclic factor=3 dim=2
    for (int k = 0; k < 4; k++) {
        for (int i_tile = 0; i_tile < 4; i_tile++) {
            for (int j_tile = 0; j_tile < 2; j_tile++) {
                #pragma HLS pipeline II=1 style=stp
                for (int i_lane = 0; i_lane < 2; i_lane++) {
                    #pragma HLS unroll
                    const int i = i_tile * 2 + i_lane;
                    for (int j_lane = 0; j_lane < 3; j_lane++) {
                        #pragma HLS unroll
                        const int j = j_tile * 3 + j_lane;
                        const float term = A[i][k] * B[k][j];
                        const float total = (k == 0 ? 0.0f : C_acc[i][j]) + term;
                        C_acc[i][j] = total;
                        if (k == 3) {
                            C[i_lane][j_lane].write(total);
                        }
                    }
                }
            }
        }
    }
}

// Node 'act': E[j][i] over i 8, j 6
static void act(
    hls::stream<float, 8> C[2][3],
    const float b[6],
    float E[6][8]) {
    for (int i_tile = 0; i_tile < 4; i_tile++) {
        for (int j_tile = 0; j_tile < 2; j_tile++) {
            #pragma HLS pipeline II=1 style=stp
            for (int i_lane = 0; i_lane < 2; i_lane++) {
                #pragma HLS unroll
                const int i = i_tile * 2 + i_lane;
                for (int j_lane = 0; j_lane < 3; j_lane++) {
                    #pragma HLS unroll
                    const int j = j_tile * 3 + j_lane;
                    const float C_value = C[i_lane][j_lane].read();
                    E[j][i] = fmaxf(C_value + b[j], 0.0f);
                }
            }
        }
    }
}

void kernel_3mm(
    const float A[8][4],
    const float B[4][6],
    const float b[6],
    float E[6][8]) {
    #pragma HLS array_partition variable=A type=cyclic factor=2 dim=1
    #pragma HLS array_partition variable=B type=cyclic factor=3 dim=2
    #pragma HLS array_partition variable=b type=cyclic factor=3 dim=1
    #pragma HLS array_partition variable=E type=cyclic factor=3 dim=1
    #pragma HLS array_partition variable=E type=cyclic factor=2 dim=2
    #pragma HLS dataflow
    hls::stream<float, 8> C[2][3];
#ifdef STREAMOPT_HLS_STREAM
    hls::set_name(C, "C");
#endif
    gemm(A, B, C);
    act(C, b, E);
}
