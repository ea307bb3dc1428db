#include "hls_streamofblocks.h"
#include "hls_vector.h"

typedef int buf[16];

static void fill(const int *in, hls::stream_of_blocks<buf> &filtered, hls::stream_of_blocks<buf> &rest) {
    for (int t = 0; t < 4; t++) {
        hls::write_lock<buf> evens(filtered);
        hls::write_lock<buf> odds(rest);
    splitting:
        for (int i = 0; i < 16; i++) {
            evens[i] = in[t * 32 + 2 * i];
            odds[i] = in[t * 32 + 2 * i + 1];
        }
    }
}

static void merge(hls::stream_of_blocks<buf> &a, hls::stream_of_blocks<buf> &b, int out[64]) {
    for (int t = 0; t < 4; t++) {
        hls::read_lock<buf> one(a);
        hls::read_lock<buf> other(b);
        for (int i = 0; i < 16; i++) {
#pragma HLS PIPELINE off
            out[t * 16 + i] = one[15 - i] > other[i] ? one[15 - i] : other[i];
        }
    }
}

void top(const int in[128], int out[64]) {
#pragma HLS DATAFLOW
    hls::stream_of_blocks<buf> s, r;
    fill(in, s, r);
    merge(s, r, out);
}
