/* run: searched(uint8_t x[40], int h[16], float t[128], float y[40], uint8_t start[9], float v[32], float w[8], int steps[8]) */
/* bound: entries=6, halve=7 */
#include <stdint.h>

static void raised(int part[8], int at, int by) {
  if (part[at] > 3)
    part[at] += by;
}

void searched(uint8_t x[40], int h[16], float t[128], float y[40], uint8_t start[9], float v[32],
              float w[8], int steps[8]) {
  int order[40];
  for (int p = 0; p < 16; p++)
    h[p] = 0;
  for (int i = 0; i < 40; i++)
    h[x[i] % 16] += i;
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 6; j++)
      raised(&h[8 * i], x[j] % 8, j);
  for (int i = 0; i < 40; i++)
    y[i] = t[x[i]] * (x[i] > 50 ? t[x[39 - i]] : 2.0f);
  for (int i = 0; i < 40; i++)
    order[i] = (x[i] * 7) % 40;
  for (int i = 0; i < 20; i++)
    order[order[i]] = i;
  for (int r = 0; r < 8; r++) {
    float sum = 0;
    int from = start[r] % 26;
  entries:
    for (int k = from; k < from + start[r + 1] % 7; k++)
      sum += v[k] * (float)order[k];
    w[r] = sum;
    int left = x[r], count = 0;
  halve:
    while (left > 0) {
      left = left / 2;
      if (left == 5)
        continue;
      count++;
    }
    int last = 0;
    for (int i = 0; i < 12; i++) {
      if (x[i] % (r + 2) == 1)
        break;
      last = i;
    }
    steps[r] = count * 100 + last;
  }
}
