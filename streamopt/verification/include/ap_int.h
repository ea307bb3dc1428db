// ap_int for C simulation: whole numbers of any width, the part that ap_fixed covers.
//
// The vendor's header of the same name is used instead when a design goes to hardware.

#ifndef STREAMOPT_AP_INT
#define STREAMOPT_AP_INT

#include <ap_fixed.h>

template <int W> using ap_int = ap_fixed<W, W>;

#endif
