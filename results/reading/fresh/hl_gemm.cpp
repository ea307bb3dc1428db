#include <hls_stream.h>
constexpr unsigned kSize = 16, kTileN = 4, kTileM = 8;
typedef float Data_t;
struct OperatorMultiply {
  template <typename T> static T Apply(T const &a, T const &b) { return a * b; }
};
struct Multiply {
  static Data_t Apply(Data_t const &a, Data_t const &b) {
#pragma HLS INLINE
    return a * b;
  }
};
template <class Map> void ProcessingElement(hls::stream<Data_t> &aIn, hls::stream<Data_t> &bIn, hls::stream<Data_t> &cOut) {
OuterN:
  for (unsigned n0 = 0; n0 < kSize / kTileN; ++n0) {
  OuterM:
    for (unsigned m0 = 0; m0 < kSize / kTileM; ++m0) {
      Data_t cBuffer[kTileN][kTileM];
    Collapse_K:
      for (unsigned k = 0; k < kSize; ++k) {
        Data_t aBuffer[kTileN];
        for (unsigned n1 = 0; n1 < kTileN; ++n1) {
#pragma HLS PIPELINE II=1
          aBuffer[n1] = aIn.read();
        }
        for (unsigned m1 = 0; m1 < kTileM; ++m1) {
#pragma HLS PIPELINE II=1
          const auto b = bIn.read();
          for (unsigned n1 = 0; n1 < kTileN; ++n1) {
#pragma HLS UNROLL
            const Data_t prev = k > 0 ? cBuffer[n1][m1] : Data_t(0);
            cBuffer[n1][m1] = prev + Map::Apply(aBuffer[n1], b);
          }
        }
      }
    WriteC:
      for (unsigned n1 = 0; n1 < kTileN; ++n1)
        for (unsigned m1 = 0; m1 < kTileM; ++m1) cOut.write(cBuffer[n1][m1]);
    }
  }
}
void ReadA(Data_t const a[], hls::stream<Data_t> &s) {
  for (unsigned n0 = 0; n0 < kSize / kTileN; ++n0)
    for (unsigned m0 = 0; m0 < kSize / kTileM; ++m0)
      for (unsigned k = 0; k < kSize; ++k)
        for (unsigned n1 = 0; n1 < kTileN; ++n1) s.write(a[(n0 * kTileN + n1) * kSize + k]);
}
void ReadB(Data_t const b[], hls::stream<Data_t> &s) {
  for (unsigned n0 = 0; n0 < kSize / kTileN; ++n0)
    for (unsigned m0 = 0; m0 < kSize / kTileM; ++m0)
      for (unsigned k = 0; k < kSize; ++k)
        for (unsigned m1 = 0; m1 < kTileM; ++m1) s.write(b[k * kSize + m0 * kTileM + m1]);
}
void WriteOut(hls::stream<Data_t> &s, Data_t c[]) {
  for (unsigned n0 = 0; n0 < kSize / kTileN; ++n0)
    for (unsigned m0 = 0; m0 < kSize / kTileM; ++m0)
      for (unsigned n1 = 0; n1 < kTileN; ++n1)
        for (unsigned m1 = 0; m1 < kTileM; ++m1) c[(n0 * kTileN + n1) * kSize + m0 * kTileM + m1] = s.read();
}
extern "C" void MatrixMultiplication(Data_t const a[kSize * kSize], Data_t const b[kSize * kSize], Data_t c[kSize * kSize]) {
#pragma HLS DATAFLOW
  hls::stream<Data_t, 4> aPipe("aPipe"), bPipe("bPipe"), cPipe("cPipe");
  ReadA(a, aPipe);
  ReadB(b, bPipe);
  ProcessingElement<Multiply>(aPipe, bPipe, cPipe);
  WriteOut(cPipe, c);
}
