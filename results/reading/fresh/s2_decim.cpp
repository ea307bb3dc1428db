#include "ap_fixed.h"
#define TAPS1 4
#define TAPS2 7
#define FRAMES 12
typedef ap_fixed<19, 2, AP_RND, AP_SAT> d_t;
typedef ap_fixed<17, 0> k_t;
// two stages of decimation by two, with buffers that are shifted by each sample
static const k_t coeff1[TAPS1] = {0.125, 0.375, 0.375, 0.125};
static const k_t coeff2[TAPS2] = {-0.03125, 0.0, 0.28125, 0.499, 0.28125, 0.0, -0.03125};

struct decimator {
  d_t buf1[TAPS1];
  d_t buf2[TAPS2];
  bool odd;
  void reset() {
    int i;
    for (i = 0; i < TAPS1; i++) buf1[i] = 0;
    for (i = 0; i < TAPS2; i++) buf2[i] = 0;
    odd = false;
  }
  void push1(d_t v) {
    for (int i = TAPS1 - 1; i > 0; i--) buf1[i] = buf1[i - 1];
    buf1[0] = v;
  }
  d_t stage1() {
    d_t soma = 0;
    for (int i = 0; i < TAPS1; i++) soma += buf1[i] * coeff1[i];
    return soma;
  }
  d_t stage2(d_t v) {
    d_t soma = 0;
    for (int i = TAPS2 - 1; i > 0; i--) buf2[i] = buf2[i - 1];
    buf2[0] = v;
    for (int i = 0; i < TAPS2; i++) soma += buf2[i] * coeff2[i];
    return soma;
  }
};
void decim(d_t in[FRAMES * 4], d_t out[FRAMES]) {
  decimator d;
  d.reset();
  for (int n = 0; n < FRAMES; n++) {
    d_t last;
    for (int half = 0; half < 2; half++) {
      d.push1(in[4 * n + 2 * half]);
      d.push1(in[4 * n + 2 * half + 1]);
      last = d.stage2(d.stage1());
    }
    out[n] = last;
  }
}
