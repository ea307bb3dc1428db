#include "ap_fixed.h"
typedef ap_fixed<18, 2> coef_t;
typedef ap_fixed<18, 4, AP_RND, AP_SAT> data_t;
typedef ap_fixed<40, 10> acc_t;

template <class data_T, class coef_T, class acc_T, int N> class CFir {
 protected:
  static const coef_T c[N];
  data_T shift_reg[N - 1];

 public:
  CFir() {
    for (int i = 0; i < N - 1; i++) shift_reg[i] = 0;
  }
  data_T operator()(data_T x) {
#pragma HLS ARRAY_PARTITION variable=shift_reg complete dim=1
    acc_T acc = 0;
    data_T m;
    loop : for (int i = N - 1; i >= 0; i--) {
      m = (i == 0) ? x : shift_reg[i - 1];
      acc += m * c[i];
      if (i != 0 && i < N - 1) shift_reg[i] = shift_reg[i - 1];
    }
    shift_reg[0] = x;
    return acc;
  }
};
template <> const coef_t CFir<data_t, coef_t, acc_t, 6>::c[6] = {0.05, -0.2, 0.65, 0.65, -0.2, 0.05};

void fir(data_t x[40], data_t y[40]) {
  CFir<data_t, coef_t, acc_t, 6> filter;
  for (int i = 0; i < 40; i++) y[i] = filter(x[i]);
}
