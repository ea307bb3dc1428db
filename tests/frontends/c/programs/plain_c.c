/* run: plain_c(int x[16], uint32_t w[16], int y[16], uint32_t z[16], int8_t k[16]) */
#include <stdint.h>
#include <string.h>

struct pixel { unsigned r : 5; unsigned g : 6; int b : 5; };
typedef struct { int a, b; } pair;

static int joined(pair p) { return p.a * 3 + p.b; }

void plain_c(int x[16], uint32_t w[16], int y[16], uint32_t z[16], int8_t k[16]) {
  const char key[5] = "ab\nd";
  int t[16], i, n, m = 0;
  for (i = 0; i < 16; i++) t[i] = x[i];
  memmove(t + 2, t, 14 * sizeof(int));
  memmove(t, t + 1, 15 * sizeof(int));
  for (n = 0; n < i; n += 3) m += t[n];
  for (i = 0; i < 16; i++) if (x[i] > 0) break;
  memset(z, 0x55, 8 * sizeof(unsigned));
  memset(y, -1, 16 * sizeof(int));
  for (int j = 0; j < 16; j++) {
    struct pixel p;
    p.r = w[j] >> 11;
    p.g = w[j] >> 5;
    p.b = w[j];
    p.g = p.g + 40;
    if (j >= 8) z[j] = (p.r << 11) | (p.g << 5) | (p.b & 31);
    if (j < 12) y[j] = joined((pair){t[j], j}) + i * n + m;
    k[j] = key[j & 3] ^ (char)x[j];
  }
}
