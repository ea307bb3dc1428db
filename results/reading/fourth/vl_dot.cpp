#include "hls_stream.h"
#include <stdint.h>

template <typename T, unsigned int N> class BinarySum {
   public:
    static const T sum(T p_x[N]) {
#pragma HLS INLINE
        return BinarySum<T, N / 2>::sum(p_x) + BinarySum<T, N - N / 2>::sum(p_x + N / 2);
    }
};
template <typename T> class BinarySum<T, 1> {
   public:
    static const T sum(T p_x[1]) { return p_x[0]; }
};

template <typename t_DataType, unsigned int t_LogParEntries>
void mul(unsigned int p_n, hls::stream<t_DataType> p_x[1 << t_LogParEntries], const t_DataType *p_y, hls::stream<t_DataType> &p_sum) {
    const unsigned int t_ParEntries = 1 << t_LogParEntries;
    for (unsigned int i = 0; i < p_n / t_ParEntries; i++) {
#pragma HLS PIPELINE
        t_DataType l_x[t_ParEntries];
#pragma HLS ARRAY_PARTITION variable=l_x complete
        for (unsigned int j = 0; j < t_ParEntries; j++) {
            l_x[j] = p_x[j].read() * p_y[i * t_ParEntries + j];
        }
        p_sum.write(BinarySum<t_DataType, t_ParEntries>::sum(l_x));
    }
}

template <typename t_DataType> void accumulate(hls::stream<t_DataType> &p_sum, unsigned int p_n, t_DataType &p_res) {
    t_DataType l_res = 0;
    for (unsigned int i = 0; i < p_n; i++) l_res += p_sum.read();
    p_res = l_res;
}

void dot(int16_t p_x[32], const int16_t p_y[32], int16_t &p_res) {
#pragma HLS DATAFLOW
    hls::stream<int16_t> l_x[4];
    hls::stream<int16_t> l_sum("partial sums");
    for (int i = 0; i < 8; i++)
        for (int j = 0; j < 4; j++) l_x[j].write(p_x[i * 4 + j]);
    mul<int16_t, 2>(32, l_x, p_y, l_sum);
    accumulate(l_sum, 32 / 4, p_res);
}
