#include "hls_stream.h"
#include "ap_int.h"

#define N 64

typedef ap_uint<12> sample_t;

struct packet {
    sample_t data;
    ap_uint<1> last;
    ap_int<20> sum;
};

void producer(sample_t in[N], hls::stream<packet> &out) {
    ap_int<20> acc = 0;
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        packet p;
        p.data = in[i];
        acc += in[i];
        p.sum = acc;
        p.last = (i == N - 1);
        out << p;
    }
}

void filter(hls::stream<packet> &in, hls::stream<packet> &out) {
    sample_t prev = 0;
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        packet p;
        in >> p;
        sample_t cur = p.data;
        p.data = (cur + prev) >> 1;
        prev = cur;
        out.write(p);
    }
}

void consumer(hls::stream<packet> &in, sample_t data[N], int sums[N], bool &done) {
    for (int i = 0; i < N; i++) {
#pragma HLS PIPELINE II=1
        packet p = in.read();
        data[i] = p.last ? (sample_t)0 : p.data;
        sums[i] = p.sum;
        if (i == N - 1)
            done = p.last;
    }
}

void packets(sample_t in[N], sample_t data[N], int sums[N], bool &done) {
#pragma HLS DATAFLOW
    hls::stream<packet> a, b;
#pragma HLS STREAM variable=a depth=4
    producer(in, a);
    filter(a, b);
    consumer(b, data, sums, done);
}
