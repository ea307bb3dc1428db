// Fixed-point numbers of emitted designs, with operators of whole numbers and assignments.

#pragma once
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
