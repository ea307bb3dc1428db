#include "ap_int.h"
#include "hls_stream.h"
#include "common/xf_common.hpp"
#define HEIGHT 12
#define WIDTH 16
#define NPC1 XF_NPPC1
static unsigned char xFapplygaussian3x3(ap_uint<8> D1, ap_uint<8> D2, ap_uint<8> D3, ap_uint<8> D4, ap_uint<8> D5,
                                        ap_uint<8> D6, ap_uint<8> D7, ap_uint<8> D8, ap_uint<8> D9) {
#pragma HLS INLINE
  ap_uint<16> s = (D1 + D3 + D7 + D9) + ((D2 + D4 + D6 + D8) << 1) + (D5 << 2);
  return (unsigned char)(s >> 4);
}
void gaussian_accel(xf::cv::Mat<XF_8UC1, HEIGHT, WIDTH, NPC1> &_src, xf::cv::Mat<XF_8UC1, HEIGHT, WIDTH, NPC1> &_dst) {
  XF_TNAME(XF_8UC1, NPC1) buf[3][WIDTH];
#pragma HLS ARRAY_PARTITION variable=buf complete dim=1
  int rd = 0, wr = 0;
  for (ap_uint<13> row = 0; row < HEIGHT + 1; row++) {
    for (ap_uint<13> col = 0; col < WIDTH; col++) {
#pragma HLS pipeline
      buf[0][col] = buf[1][col];
      buf[1][col] = buf[2][col];
      if (row < HEIGHT)
        buf[2][col] = _src.read(rd++);
      else
        buf[2][col] = 0;
    }
    if (row == 0) continue;
    for (int col = 0; col < WIDTH; col++) {
      int l = col == 0 ? 0 : col - 1, r = col == WIDTH - 1 ? col : col + 1;
      _dst.write(wr++, xFapplygaussian3x3(buf[0][l], buf[0][col], buf[0][r], buf[1][l], buf[1][col], buf[1][r],
                                          buf[2][l], buf[2][col], buf[2][r]));
    }
  }
}
