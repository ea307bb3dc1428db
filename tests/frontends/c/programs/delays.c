/* run: delays(int16_t x[40], int32_t y[40]) */
#include <stdint.h>
static int32_t count;
static int32_t step(int16_t x) {
  static int16_t last, before = 3;
  static int calls;
  int32_t found = 2 * x + last - before;
  calls++;
  before = last; last = x; count += 2;
  return found + count;
}
void delays(int16_t x[40], int32_t y[40]) {
  static int unused;
  for (int n = 0; n < 20; n++) { y[n] = step(x[n]); unused++; }
  for (int n = 20; n < 40; n++) { y[n] = 1; y[n] += step(x[n]); }
}
