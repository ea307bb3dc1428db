#include "ap_int.h"
#include "hls_stream.h"
// threshold and weighted sum, NPC pixels in a word
enum _threshold_type { THRESH_BINARY = 0, THRESH_TRUNC = 2, THRESH_TOZERO = 3 };
template <int NPC, int DEPTH, int TYPE>
void thresholding(hls::stream<ap_uint<DEPTH * NPC>> &src, hls::stream<ap_uint<DEPTH * NPC>> &dst, unsigned char thresh,
                  unsigned char maxval, unsigned short height, unsigned short width) {
  ap_uint<DEPTH * NPC> val_src, val_dst;
rowLoop:
  for (int i = 0; i < height; i++) {
#pragma HLS LOOP_TRIPCOUNT min=8 max=8
  colLoop:
    for (int j = 0; j < width; j++) {
#pragma HLS pipeline
      val_src = (ap_uint<DEPTH * NPC>)(src.read());
    procLoop:
      for (int k = 0, c = 0; k < DEPTH * NPC; k += DEPTH, c++) {
#pragma HLS unroll
        ap_uint<DEPTH> p = val_src.range(k + DEPTH - 1, k), r = 0;
        switch (TYPE) {
          case THRESH_BINARY: r = (p > thresh) ? maxval : (unsigned char)0; break;
          case THRESH_TRUNC: r = (p > thresh) ? thresh : (unsigned char)p; break;
          case THRESH_TOZERO: r = (p > thresh) ? (unsigned char)p : (unsigned char)0; break;
        }
        val_dst.range(k + DEPTH - 1, k) = r;
      }
      dst.write(val_dst);
    }
  }
}
void pixels(ap_uint<32> in[8 * 6], ap_uint<32> out[8 * 6]) {
#pragma HLS DATAFLOW
  hls::stream<ap_uint<32>> s, t;
Read:
  for (int i = 0; i < 48; i++) s << in[i];
  thresholding<4, 8, THRESH_TRUNC>(s, t, 100, 255, 8, 6);
Write:
  for (int i = 0; i < 48; i++) t >> out[i];
}
