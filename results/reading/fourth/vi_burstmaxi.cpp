#include "hls_burst_maxi.h"
#define SIZE 64
#define BURST 16

void transfer_kernel(hls::burst_maxi<int> in, hls::burst_maxi<int> out, const int size) {
#pragma HLS INTERFACE m_axi port=in depth=64 latency=50 num_read_outstanding=32
#pragma HLS INTERFACE m_axi port=out depth=64 latency=50
    int buf[BURST];
    for (int i = 0; i < size / BURST; i++) {
        in.read_request(i * BURST, BURST);
        for (int j = 0; j < BURST; j++) {
#pragma HLS PIPELINE II=1
            buf[j] = in.read();
        }
        out.write_request(i * BURST, BURST);
        for (int k = 0; k < BURST; k++) {
#pragma HLS PIPELINE II=1
            out.write(buf[k] + 1);
        }
        out.write_response();
    }
}
