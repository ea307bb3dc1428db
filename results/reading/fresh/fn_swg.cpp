#include "ap_int.h"
#include "hls_stream.h"
#define MAX(x, y) (((x) > (y)) ? (x) : (y))
// sliding windows of a K x K convolution from rows in a circular buffer
template <unsigned K, unsigned DIM, unsigned OFM, typename T>
void SlidingWindow(hls::stream<T> &in, hls::stream<T> &out) {
  T inputBuf[K + 1][DIM];
#pragma HLS ARRAY_PARTITION variable=inputBuf complete dim=1
  unsigned inp = 0;
  for (unsigned r = 0; r < K - 1; r++)
    for (unsigned c = 0; c < DIM; c++) inputBuf[r][c] = in.read();
  for (unsigned oy = 0; oy < OFM; oy++) {
    for (unsigned c = 0; c < DIM; c++) inputBuf[(oy + K - 1) % (K + 1)][c] = in.read();
    for (unsigned ox = 0; ox < OFM; ox++)
      for (unsigned ky = 0; ky < K; ky++)
        for (unsigned kx = 0; kx < K; kx++) {
#pragma HLS pipeline II=1
          out.write(inputBuf[(oy + ky) % (K + 1)][ox + kx]);
        }
  }
}
void swg(hls::stream<ap_uint<16>> &in, hls::stream<ap_uint<16>> &out) {
#pragma HLS INTERFACE axis port=in
#pragma HLS INTERFACE axis port=out
  SlidingWindow<3, 8, 6>(in, out);
}
