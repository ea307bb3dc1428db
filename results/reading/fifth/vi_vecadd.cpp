#include <hls_vector.h>
#include <hls_stream.h>
#include "assert.h"

#define NUM_WORDS 16
#define DATA_SIZE 256

typedef hls::vector<float, NUM_WORDS> vec_t;
const int c_size = DATA_SIZE / NUM_WORDS;

template <typename T>
void load(const T *in, hls::stream<T> &s, int size) {
mem_rd:
    for (int i = 0; i < size; i++) {
#pragma HLS pipeline II=1
        s << in[i];
    }
}

static void scale_add(hls::stream<vec_t> &a, hls::stream<vec_t> &b, hls::stream<vec_t> &o, float alpha, int size) {
    vec_t peak = 0.0f;
    for (int i = 0; i < size; i++) {
#pragma HLS pipeline II=1
        vec_t x = a.read();
        vec_t y = b.read();
        vec_t r = x * vec_t(alpha) + y;
        for (int l = 0; l < NUM_WORDS; l++) {
#pragma HLS unroll
            peak[l] = r[l] > peak[l] ? r[l] : peak[l];
        }
        o << (r - peak);
    }
}

static void store(vec_t *out, hls::stream<vec_t> &s, int size) {
    for (int i = 0; i < size; i++) {
#pragma HLS pipeline II=1
        out[i] = s.read();
    }
}

extern "C" {
void krnl(const vec_t in1[c_size], const vec_t in2[c_size], vec_t out[c_size], float alpha) {
#pragma HLS INTERFACE m_axi port=in1 bundle=gmem0
#pragma HLS INTERFACE m_axi port=in2 bundle=gmem1
    static hls::stream<vec_t> s1("s1");
    static hls::stream<vec_t> s2("s2");
    static hls::stream<vec_t> so("so");
#pragma HLS dataflow
    load<vec_t>(in1, s1, c_size);
    load(in2, s2, c_size);
    scale_add(s1, s2, so, alpha, c_size);
    store(out, so, c_size);
}
}
