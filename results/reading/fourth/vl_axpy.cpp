#include "hls_stream.h"
#include "ap_int.h"
#include <cassert>

namespace xf {
namespace blas {

template <typename T, unsigned int t_Width> class WideType {
   private:
    T m_Val[t_Width];

   public:
    typedef T DataType;
    static const unsigned int t_per4k = 4096 / sizeof(T) / t_Width;
    T &operator[](unsigned int p_Idx) { return (m_Val[p_Idx]); }
    const T &operator[](unsigned int p_Idx) const { return (m_Val[p_Idx]); }
    WideType() {}
    WideType(T p_initScalar) {
    WIDE_TYPE_loop:
        for (int i = 0; i < t_Width; ++i) {
#pragma HLS UNROLL
            m_Val[i] = p_initScalar;
        }
    }
};

template <typename t_DataType, unsigned int t_ParEntries, typename t_IndexType = unsigned int>
void readVec2Stream(t_DataType *p_in, t_IndexType p_n, hls::stream<WideType<t_DataType, t_ParEntries> > &p_out) {
#ifndef __SYNTHESIS__
    assert((p_n % t_ParEntries) == 0);
#endif
    unsigned int l_parBlocks = p_n / t_ParEntries;
    for (t_IndexType i = 0; i < l_parBlocks; ++i) {
#pragma HLS PIPELINE
        WideType<t_DataType, t_ParEntries> l_x;
        for (unsigned int j = 0; j < t_ParEntries; ++j) l_x[j] = p_in[i * t_ParEntries + j];
        p_out.write(l_x);
    }
}

template <typename t_DataType, unsigned int t_ParEntries, typename t_IndexType = unsigned int>
void axpy(t_IndexType p_n, const t_DataType p_alpha,
          hls::stream<WideType<t_DataType, t_ParEntries> > &p_x,
          hls::stream<WideType<t_DataType, t_ParEntries> > &p_y,
          hls::stream<WideType<t_DataType, t_ParEntries> > &p_r) {
    unsigned int l_numElem = p_n / t_ParEntries;
    for (t_IndexType i = 0; i < l_numElem; ++i) {
#pragma HLS PIPELINE
        WideType<t_DataType, t_ParEntries> l_x = p_x.read();
        WideType<t_DataType, t_ParEntries> l_y = p_y.read();
        WideType<t_DataType, t_ParEntries> l_r(0);
        for (unsigned int j = 0; j < t_ParEntries; ++j) {
#pragma HLS UNROLL
            l_r[j] = p_alpha * l_x[j] + l_y[j];
        }
        p_r.write(l_r);
    }
}

template <typename t_DataType, unsigned int t_ParEntries>
void writeStream2Vec(hls::stream<WideType<t_DataType, t_ParEntries> > &p_in, unsigned int p_n, t_DataType *p_out) {
    for (unsigned int i = 0; i < p_n / t_ParEntries; ++i) {
        const WideType<t_DataType, t_ParEntries> l_x = p_in.read();
        for (unsigned int j = 0; j < t_ParEntries; ++j) p_out[i * t_ParEntries + j] = l_x[j];
    }
}

} // namespace blas
} // namespace xf

#define BLAS_vectorSize 32
#define BLAS_parEntries 4
typedef float BLAS_dataType;

void uut_top(BLAS_dataType p_alpha, BLAS_dataType p_x[BLAS_vectorSize], BLAS_dataType p_y[BLAS_vectorSize], BLAS_dataType p_yRes[BLAS_vectorSize]) {
    hls::stream<xf::blas::WideType<BLAS_dataType, BLAS_parEntries> > l_strX;
    hls::stream<xf::blas::WideType<BLAS_dataType, BLAS_parEntries> > l_strY;
    hls::stream<xf::blas::WideType<BLAS_dataType, BLAS_parEntries> > l_strR;
#pragma HLS DATAFLOW
    xf::blas::readVec2Stream<BLAS_dataType, BLAS_parEntries>(p_x, BLAS_vectorSize, l_strX);
    xf::blas::readVec2Stream<BLAS_dataType, BLAS_parEntries>(p_y, BLAS_vectorSize, l_strY);
    xf::blas::axpy<BLAS_dataType, BLAS_parEntries>(BLAS_vectorSize, p_alpha, l_strX, l_strY, l_strR);
    xf::blas::writeStream2Vec<BLAS_dataType, BLAS_parEntries>(l_strR, BLAS_vectorSize, p_yRes);
}
