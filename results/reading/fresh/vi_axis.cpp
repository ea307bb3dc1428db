#include "ap_axi_sdata.h"
#include "hls_stream.h"
#define SIZE 48
typedef hls::axis<ap_int<32>, 0, 0, 0> packet;
typedef ap_axis<32, 2, 5, 6> side;

void gain(hls::stream<packet> &A, hls::stream<side> &B, int factor) {
#pragma HLS INTERFACE axis port = A
#pragma HLS INTERFACE axis port = B
#pragma HLS INTERFACE s_axilite port = factor
#pragma HLS INTERFACE s_axilite port = return
  int sum = 0;
  for (int i = 0; i < SIZE; i++) {
#pragma HLS PIPELINE II = 1
    packet a;
    A.read(a);
    side b;
    sum += a.data.to_int();
    b.data = a.data * factor + sum;
    b.keep = -1;
    b.strb = 15;
    b.user = i & 3;
    b.last = (i == SIZE - 1) ? 1 : 0;
    b.id = 5;
    b.dest = 6;
    B.write(b);
  }
}
