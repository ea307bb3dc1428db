#include <ap_int.h>
#include <ap_fixed.h>
// moving statistics over a circular buffer, with a counter that wraps
template <typename T, unsigned DEPTH> class MovingAverage {
 public:
  MovingAverage() : head(0), sum(0) {
    for (unsigned i = 0; i < DEPTH; i++) data[i] = 0;
  }
  T next(T value) {
#pragma HLS INLINE
    sum -= data[head];
    data[head] = value;
    sum += value;
    head = (head == DEPTH - 1) ? 0 : head + 1;
    return sum / DEPTH;
  }

 private:
  T data[DEPTH];
  unsigned head;
  ap_int<24> sum;
};
void smooth(const ap_int<12> in[64], ap_int<12> out[64]) {
  MovingAverage<ap_int<12>, 8> avg;
  for (int i = 0; i < 64; i++) {
#pragma HLS PIPELINE
    out[i] = avg.next(in[i]);
  }
}
