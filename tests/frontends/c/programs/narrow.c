/* run: narrow(int8_t a[16], uint16_t b[16], int16_t c[16], int8_t x[16], uint16_t y[16], int16_t z[16]) */
#include <stdint.h>

static int16_t scaled(int16_t v) {
  int16_t w = v * 3;
  return w / 5;
}

void narrow(int8_t a[16], uint16_t b[16], int16_t c[16], int8_t x[16], uint16_t y[16], int16_t z[16]) {
  uint16_t t[16];
  int16_t sum = 0;
  for (int i = 0; i < 16; i++) {
    int8_t v = a[i] * a[i];
    x[i] = v >> 1;
  }
  for (int i = 0; i < 16; i++) t[i] = b[i] > 9 ? ~b[i] : (uint8_t)b[i];
  for (int i = 0; i < 16; i++) {
    uint16_t v = b[i] + b[i] * 3;
    y[i] = v / 7 + t[i] % 11;
  }
  for (int i = 0; i < 16; i++) {
    int16_t p = c[i] * c[15 - i];
    int16_t q = p + sum;
    sum = scaled(q) * 7;
    z[i] = q / 5 - p % 7;
  }
}
