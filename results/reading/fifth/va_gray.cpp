#include "hls_stream.h"
#include "ap_int.h"
#include "hls_math.h"

#define PIX 48
#define LANES 4

typedef ap_uint<8 * LANES> word_t;
typedef ap_uint<8> byte_t;

static byte_t luma(byte_t r, byte_t g, byte_t b) {
    ap_uint<16> y = (ap_uint<16>)r * 77 + (ap_uint<16>)g * 150 + (ap_uint<16>)b * 29;
    return y(15, 8);
}

static void split(const word_t in[PIX], hls::stream<byte_t> ch[3]) {
    for (int i = 0; i < PIX; i++) {
#pragma HLS PIPELINE II=1
        word_t w = in[i];
        for (int c = 0; c < 3; c++) {
#pragma HLS UNROLL
            ch[c].write(w.range(8 * c + 7, 8 * c));
        }
    }
}

static void gray(hls::stream<byte_t> ch[3], word_t out[PIX / LANES]) {
    word_t pack = 0;
    for (int i = 0; i < PIX; i++) {
#pragma HLS PIPELINE II=1
        byte_t r = ch[0].read(), g = ch[1].read(), b = ch[2].read();
        int lane = i % LANES;
        pack.range(8 * lane + 7, 8 * lane) = luma(r, g, b);
        if (lane == LANES - 1)
            out[i / LANES] = pack;
    }
}

void to_gray(const word_t in[PIX], word_t out[PIX / LANES]) {
#pragma HLS DATAFLOW
    hls::stream<byte_t> ch[3];
#pragma HLS STREAM variable=ch depth=8
    split(in, ch);
    gray(ch, out);
}
