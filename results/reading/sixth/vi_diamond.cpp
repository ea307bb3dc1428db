#include <hls_stream.h>
#include <hls_vector.h>
#define NUM_WORDS 16
typedef hls::vector<uint32_t, NUM_WORDS> vecOf16Words;

static void load(vecOf16Words *in, hls::stream<vecOf16Words> &out, int vSize) {
Loop0:
    for (int i = 0; i < 8; i++) {
#pragma HLS performance target_ti=32
#pragma HLS LOOP_TRIPCOUNT max=8
        out.write(in[i]);
    }
}

static void compute_A(hls::stream<vecOf16Words> &in, hls::stream<vecOf16Words> &out1, hls::stream<vecOf16Words> &out2) {
    for (int i = 0; i < 8; i++) {
        vecOf16Words t = in.read();
        out1.write(t * 3);
        out2.write(t * 3);
    }
}

static void compute_B(hls::stream<vecOf16Words> &in, hls::stream<vecOf16Words> &out) {
    for (int i = 0; i < 8; i++)
        out.write(in.read() + 25);
}

static void compute_D(hls::stream<vecOf16Words> &in1, hls::stream<vecOf16Words> &in2, hls::stream<vecOf16Words> &out) {
    for (int i = 0; i < 8; i++)
        out.write(in1.read() + in2.read());
}

static void store(hls::stream<vecOf16Words> &in, vecOf16Words *out) {
    for (int i = 0; i < 8; i++)
        out[i] = in.read();
}

extern "C" void diamond(vecOf16Words in[8], vecOf16Words out[8]) {
#pragma HLS INTERFACE m_axi port = in bundle = gmem0 depth = 32
#pragma HLS INTERFACE m_axi port = out bundle = gmem0
    hls::stream<vecOf16Words> c0, c1, c2, c3, c4;
#pragma HLS dataflow
    load(in, c0, 8);
    compute_A(c0, c1, c2);
    compute_B(c1, c3);
    compute_D(c2, c3, c4);
    store(c4, out);
}
