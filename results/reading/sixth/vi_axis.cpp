#include "ap_axi_sdata.h"
#include "ap_int.h"
#include "hls_stream.h"

#define DWIDTH 32
typedef hls::axis<ap_int<DWIDTH>, 0, 0, 0> trans_pkt;

static void getinstream(hls::stream<trans_pkt> &in_stream, hls::stream<ap_int<DWIDTH> > &out_stream, hls::stream<int> &out_counts) {
    int count = 0;
    for (int i = 0; i < 48; i++) {
#pragma HLS PIPELINE
        trans_pkt in_val = in_stream.read();
        ap_int<DWIDTH> out_val = in_val.data;
        out_stream.write(out_val);
        count++;
        if (count >= 16) {
            out_counts.write(count);
            count = 0;
        }
    }
}

static void sumout(hls::stream<ap_int<DWIDTH> > &in, hls::stream<int> &counts, long *y) {
    for (int b = 0; b < 3; b++) {
        int n = counts.read();
        long acc = 0;
        for (int i = 0; i < 16; i++)
            acc += in.read();
        y[b] = acc * n;
    }
}

void example(hls::stream<trans_pkt> &inStreamTop, long outTop[3]) {
#pragma HLS INTERFACE mode=axis register_mode=both register port=inStreamTop
#pragma HLS INTERFACE mode=m_axi max_write_burst_length=256 depth=3 port=outTop
#pragma HLS DATAFLOW
    hls::stream<ap_int<DWIDTH>, 16> buf;
    hls::stream<int, 4> count;
    getinstream(inStreamTop, buf, count);
    sumout(buf, count, outTop);
}
