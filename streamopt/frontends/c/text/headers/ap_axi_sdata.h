#ifndef STREAMOPT_AP_AXI_SDATA
#define STREAMOPT_AP_AXI_SDATA
#include <ap_int.h>

template <int D, int U, int TI, int TD> struct ap_axis {
    ap_int<D> data;
    ap_uint<(D + 7) / 8> keep;
    ap_uint<(D + 7) / 8> strb;
    ap_uint<U + (U == 0)> user;
    ap_uint<1> last;
    ap_uint<TI + (TI == 0)> id;
    ap_uint<TD + (TD == 0)> dest;
};
template <int D, int U, int TI, int TD> struct ap_axiu {
    ap_uint<D> data;
    ap_uint<(D + 7) / 8> keep;
    ap_uint<(D + 7) / 8> strb;
    ap_uint<U + (U == 0)> user;
    ap_uint<1> last;
    ap_uint<TI + (TI == 0)> id;
    ap_uint<TD + (TD == 0)> dest;
};
namespace hls {
template <typename T, int U = 0, int TI = 0, int TD = 0> struct axis {
    T data;
    ap_uint<U + (U == 0)> user;
    ap_uint<1> last;
    ap_uint<TI + (TI == 0)> id;
    ap_uint<TD + (TD == 0)> dest;
};
} // namespace hls
#endif
