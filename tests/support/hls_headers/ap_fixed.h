// Fixed-point numbers of emitted designs, with operators of whole numbers and assignments.

#pragma once
#include <cmath>
#include_next <ap_fixed.h>

#define FIXED ap_fixed<W, I, Q, O>
#define FORMAT template <int W, int I, ap_q_mode Q, ap_o_mode O
#define FIXED_OPERATOR(op)                                                                         \
    FORMAT > auto operator op(const FIXED &a, int b) { return a op ap_fixed<32, 32>(b); }          \
    FORMAT > auto operator op(int a, const FIXED &b) { return ap_fixed<32, 32>(a) op b; }          \
    FORMAT, class T > FIXED &operator op##=(FIXED &a, const T &b) { return a = FIXED(a op b); }
FIXED_OPERATOR(+)
FIXED_OPERATOR(-)
FIXED_OPERATOR(*)
FIXED_OPERATOR(/)

// Numbers without a sign, by way of double, which has all that tests use.
template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP>
struct ap_ufixed : ap_fixed<W + 1, I + 1> {
    typedef ap_fixed<W + 1, I + 1> Base;
    ap_ufixed() {}
    template <class T> ap_ufixed(const T &value) : Base(of((double)value)) {}
    static double of(double value) {
        double whole = std::floor(std::ldexp(value, W - I) + (Q == AP_RND ? 0.5 : 0.0));
        double span = std::ldexp(1.0, W);
        if (O == AP_SAT)
            whole = whole < 0 ? 0 : whole < span ? whole : span - 1;
        else
            whole -= std::floor(whole / span) * span;
        return std::ldexp(whole, I - W);
    }
    ap_ufixed operator<<(int by) const { return std::ldexp((double)*this, by); }
};
