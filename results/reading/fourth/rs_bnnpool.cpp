#include <ap_int.h>
#include <hls_stream.h>
const unsigned WORD_SIZE = 16;
const unsigned LINES = 4;
const unsigned LANES = WORD_SIZE / LINES;
const unsigned CONVOLVERS = 2;
typedef ap_int<WORD_SIZE> Word;
typedef ap_uint<1> Bit;

// pools 2x2 windows of lines that lie side by side in a word
void process_word(const Word a, const Word b, ap_uint<WORD_SIZE / 4> &pooled) {
#pragma HLS inline
  ap_uint<WORD_SIZE / 2> poolbuf;
  POOL_H:
  for (unsigned i = 0; i < WORD_SIZE / 2; ++i)
    poolbuf[i] = a[2 * i] | a[2 * i + 1] | b[2 * i] | b[2 * i + 1];
  pooled = poolbuf.range(WORD_SIZE / 4 - 1, 0) | poolbuf.range(WORD_SIZE / 2 - 1, WORD_SIZE / 4);
}

Bit encode_bit(const ap_int<6> x) {
  return (x >= 0) ? Bit(0) : Bit(1);
}

void pool(const Word dmem[CONVOLVERS][16], const ap_int<6> bias[CONVOLVERS], Word out[CONVOLVERS][2]) {
  LOOP_IMAGES:
  for (ap_uint<4> m = 0; m < CONVOLVERS; ++m) {
    ap_uint<2> lane = 0;
    Word outword = 0;
    LOOP_WORDS:
    for (ap_uint<5> w = 0; w < 16; w += 2) {
#pragma HLS PIPELINE
      ap_uint<WORD_SIZE / 4> p;
      process_word(dmem[m][w], dmem[m][w + 1], p);
      outword.range(WORD_SIZE / 4 * lane + 3, WORD_SIZE / 4 * lane) = p;
      lane++;
      if (lane == 0) {
        out[m][w / 8] = encode_bit(bias[m]) ? Word(~outword) : outword;
        outword = 0;
      }
    }
  }
}
