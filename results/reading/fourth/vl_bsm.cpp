#include <hls_math.h>
#define OPTIONS 16

namespace fintech {
namespace internal {
template <typename DT> inline DT FPExp(DT x) { return hls::exp(x); }
template <typename DT> inline DT FPLog(DT x) { return hls::log(x); }
template <typename DT> inline DT divide(DT a, DT b) { return a / b; }

/// @brief Cumulative normal by a polynomial
template <typename DT> DT phi(DT xIn) {
#pragma HLS inline
    const DT INV_SQRT2 = 0.70710678118654752440;
    const DT p = 0.3275911;
    const DT a1 = 0.254829592, a2 = -0.284496736, a3 = 1.421413741, a4 = -1.453152027, a5 = 1.061405429;
    DT x = hls::fabs(xIn) * INV_SQRT2;
    DT t = 1 / (1 + p * x);
    DT poly = ((((a5 * t + a4) * t + a3) * t + a2) * t + a1) * t;
    DT y = DT(1.0) - poly * FPExp<DT>(-x * x);
    return xIn < 0 ? DT(0.5 * (1.0 - y)) : DT(0.5 * (1.0 + y));
}
} // namespace internal

template <typename DT>
void cfBSMEngine(DT underlying, DT volatility, DT riskFreeRate, DT timeToMaturity, DT strike, unsigned int call, DT *price, DT *delta) {
#pragma HLS PIPELINE
    DT sqrtT = hls::sqrt(timeToMaturity);
    DT volSqrtT = volatility * sqrtT;
    DT halfVar = volatility * volatility / 2;
    DT d1 = internal::divide<DT>(internal::FPLog(underlying / strike) + (riskFreeRate + halfVar) * timeToMaturity, volSqrtT);
    DT d2 = d1 - volSqrtT;
    DT pD1 = internal::phi(d1), pD2 = internal::phi(d2);
    DT disc = internal::FPExp(-riskFreeRate * timeToMaturity);
    *delta = call ? pD1 : pD1 - 1;
    DT calc = underlying * pD1 - strike * disc * pD2;
    if (call == 0) {
        calc = calc - underlying + strike * disc;
    }
    *price = calc;
}
} // namespace fintech

extern "C" {
void bsm_kernel(float underlying_in[OPTIONS], float volatility_in[OPTIONS], float rate, float time[OPTIONS], float strike[OPTIONS],
                unsigned int call, float price_out[OPTIONS], float delta_out[OPTIONS]) {
    for (unsigned int i = 0; i < OPTIONS; i += 4) {
#pragma HLS PIPELINE
        for (unsigned int j = 0; j < 4; ++j) {
#pragma HLS UNROLL
            float price, delta;
            fintech::cfBSMEngine<float>(hls::fabs(underlying_in[i + j]) + 1, volatility_in[i + j] * volatility_in[i + j] + 0.1f, rate,
                                        hls::abs(time[i + j]) + 0.5f, hls::abs(strike[i + j]) + 1.0f, call, &price, &delta);
            price_out[i + j] = price;
            delta_out[i + j] = delta;
        }
    }
}
}
