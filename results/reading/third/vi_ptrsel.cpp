/* pointers: a window into an array, sums of neighbours, a table chosen by a constant */
#include <stdint.h>
typedef int dio_t;
typedef int32_t din_t;
static const int table_a[8] = {1, 2, 3, 4, 5, 6, 7, 8};
static const int table_b[8] = {8, 7, 6, 5, 4, 3, 2, 1};

void pointer_arith(dio_t *d) {
  static int acc = 0;
  int i;
  for (i = 0; i < 4; i++) {
    acc += *(d + i + 1);
    *(d + i) = acc;
  }
}
void lookup(bool sel, const din_t x[8], din_t y[8]) {
  const int *ptr;
  if (sel)
    ptr = table_a;
  else
    ptr = table_b;
  for (int i = 0; i < 8; i++) y[i] = x[i] * ptr[i];
}
void pointers(dio_t d[5], const din_t x[8], din_t y[8], din_t z[8]) {
  pointer_arith(d);
  lookup(true, x, y);
  lookup(false, x, z);
}
