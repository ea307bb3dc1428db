#include "ap_axi_sdata.h"
#include "hls_stream.h"
#include <ap_int.h>
#define STAGES 4
#define LEN 20

template <int N> static void adder_stage(hls::stream<int> &in, hls::stream<int> &out, int incr) {
execute:
    for (int i = 0; i < LEN; i++) {
#pragma HLS pipeline II=1
        int v;
        in >> v;
        out << v + incr * N;
    }
}

void mem_rd(const int *in, hls::stream<int> &s) {
    for (int i = 0; i < LEN; i++) s << in[i];
}
void mem_wr(int *out, hls::stream<int> &s) {
    int *p = out;
    for (int i = 0; i < LEN; i++) *p++ = s.read();
}

extern "C" {
void adders(const int input[LEN], int output[LEN], int incr) {
#pragma HLS INTERFACE m_axi port = input bundle = gmem0
#pragma HLS INTERFACE m_axi port = output bundle = gmem1
    // array of stream declaration
    hls::stream<int> streamArray[STAGES + 1];
#pragma HLS STREAM variable = streamArray depth = 8
#pragma HLS dataflow
    mem_rd(input, streamArray[0]);
compute_loop:
    for (int i = 0; i < STAGES; i++) {
#pragma HLS UNROLL
        adder_stage<3>(streamArray[i], streamArray[i + 1], incr);
    }
    mem_wr(output, streamArray[STAGES]);
}
}
