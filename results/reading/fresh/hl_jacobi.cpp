#include "hlslib/xilinx/DataPack.h"
#include "hlslib/xilinx/Simulation.h"
#include "hlslib/xilinx/Stream.h"
constexpr int kRows = 12, kCols = 16, kT = 2, kWidth = 4;
using Data_t = float;
using Pack_t = hlslib::DataPack<Data_t, kWidth>;

void Read(Pack_t const *in, hlslib::Stream<Pack_t> &s) {
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols / kWidth; ++c) {
#pragma HLS LOOP_FLATTEN
#pragma HLS PIPELINE II=1
      s.Push(in[r * (kCols / kWidth) + c]);
    }
}
void Compute(hlslib::Stream<Pack_t> &in, hlslib::Stream<Pack_t> &out) {
  Pack_t above[kCols / kWidth];
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols / kWidth; ++c) {
#pragma HLS PIPELINE II=1
      const auto now = in.Pop();
      Pack_t result;
      for (int w = 0; w < kWidth; ++w) {
#pragma HLS UNROLL
        result[w] = r > 0 ? Data_t(0.5) * (now[w] + above[c][w]) : now[w];
      }
      above[c] = now;
      out.Push(result);
    }
}
void Write(hlslib::Stream<Pack_t> &s, Pack_t *out) {
  for (int i = 0; i < kRows * kCols / kWidth; ++i) out[i] = s.Pop();
}
void Jacobi(Pack_t const in[kRows * kCols / kWidth], Pack_t out[kRows * kCols / kWidth]) {
#pragma HLS DATAFLOW
  hlslib::Stream<Pack_t> a("a"), b("b");
  HLSLIB_DATAFLOW_INIT();
  HLSLIB_DATAFLOW_FUNCTION(Read, in, a);
  HLSLIB_DATAFLOW_FUNCTION(Compute, a, b);
  HLSLIB_DATAFLOW_FUNCTION(Write, b, out);
  HLSLIB_DATAFLOW_FINALIZE();
}
