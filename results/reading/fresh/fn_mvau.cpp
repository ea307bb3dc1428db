#include <ap_int.h>
#include <hls_stream.h>
#define CASSERT_DATAFLOW(x)

template <unsigned N, typename T> class PassThroughActivation {
 public:
  T activate(unsigned const nf, unsigned const pe, T const &accu) const { return accu; }
};
template <unsigned NF, unsigned PE, typename TA, typename TR> class ThresholdsActivation {
 public:
  TA m_thresholds[PE][NF];
  TA init(unsigned const nf, unsigned const pe) const {
#pragma HLS inline
    return TA(0);
  }
  TR activate(unsigned const nf, unsigned const pe, TA const &accu) const {
#pragma HLS inline
    TR result = 0;
    result += (m_thresholds[pe][nf] < accu) ? 1 : 0;
    return result;
  }
};

template <unsigned MatrixW, unsigned MatrixH, unsigned SIMD, unsigned PE, unsigned NF_, typename TI, typename TW,
          typename TA, typename TO>
void Matrix_Vector_Activate_Batch(hls::stream<TI> &in, hls::stream<ap_uint<PE>> &out,
                                  const ap_uint<SIMD> weights[PE][MatrixH / PE * (MatrixW / SIMD)],
                                  ThresholdsActivation<NF_, PE, TA, ap_uint<1>> const &activation, int const reps) {
  unsigned const NF = MatrixH / PE;
  unsigned const SF = MatrixW / SIMD;
  TI inputBuf[SF];
  TA accu[PE];
#pragma HLS ARRAY_PARTITION variable=accu complete dim=0
  unsigned nf = 0;
  unsigned sf = 0;
  unsigned tile = 0;
  unsigned const TOTAL_FOLD = NF * SF;
  for (unsigned i = 0; i < reps * TOTAL_FOLD; i++) {
#pragma HLS pipeline style=flp II=1
    TI inElem;
    if (nf == 0) {
      inElem = in.read();
      inputBuf[sf] = inElem;
    } else {
      inElem = inputBuf[sf];
    }
    if (sf == 0) {
      for (unsigned pe = 0; pe < PE; pe++) {
#pragma HLS UNROLL
        accu[pe] = activation.init(nf, pe);
      }
    }
    for (unsigned pe = 0; pe < PE; pe++) {
#pragma HLS UNROLL
      ap_uint<SIMD> const w = weights[pe][tile];
      TA res = accu[pe];
      for (unsigned s = 0; s < SIMD; s++) {
#pragma HLS UNROLL
        res += (w[s] == inElem[s]) ? 1 : 0;
      }
      accu[pe] = res;
    }
    ++tile;
    if (++sf == SF) {
      ap_uint<PE> outElem;
      for (unsigned pe = 0; pe < PE; pe++) {
#pragma HLS UNROLL
        outElem[pe] = activation.activate(nf, pe, accu[pe]);
      }
      out.write(outElem);
      sf = 0;
      if (++nf == NF) {
        nf = 0;
        tile = 0;
      }
    }
  }
}

void mvau(hls::stream<ap_uint<8>> &in, hls::stream<ap_uint<4>> &out, const ap_uint<8> weights[4][8],
          ThresholdsActivation<2, 4, ap_int<16>, ap_uint<1>> const &act) {
#pragma HLS INTERFACE axis port=in
#pragma HLS INTERFACE axis port=out
  Matrix_Vector_Activate_Batch<32, 8, 8, 4, 2, ap_uint<8>, ap_uint<8>, ap_int<16>, ap_uint<1>>(in, out, weights, act, 3);
}
