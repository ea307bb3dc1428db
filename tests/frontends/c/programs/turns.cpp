/* run: turns(double re[8], double im[8], int x[48], int a[12], int b[12], int y[48], int z[40], int w[6]) */
#include "hls_stream.h"

static void butterflies(double re[8], double im[8]) {
  int even, odd, span, log = 0, root;
  double temp;
outer:
  for (span = 8 >> 1; span; span >>= 1, log++) {
  inner:
    for (odd = span; odd < 8; odd++) {
      odd |= span;
      even = odd ^ span;
      temp = re[even] + re[odd];
      re[odd] = re[even] - re[odd];
      re[even] = temp;
      root = (even << log) & 7;
      if (root) {
        temp = im[root] * re[odd];
        re[odd] = temp - im[odd];
      }
    }
  }
}
static void folds(hls::stream<int> &in, hls::stream<int> &out) {
  int kept[4], sum = 0;
  unsigned nf = 0, sf = 0, tile = 0;
  for (unsigned i = 0; i < 2 * 3 * 4; i++) {
    int next;
    if (nf == 0) {
      next = in.read();
      kept[sf] = next;
    } else {
      next = kept[sf];
    }
    if (sf == 0)
      sum = 0;
    sum += next * int(tile);
    ++tile;
    if (++sf == 4) {
      out.write(sum);
      sf = 0;
      if (++nf == 3) {
        nf = 0;
        tile = 0;
      }
    }
  }
}
static void move(const int *from, int *to) {
  for (int i = 0; i < 12; i++)
    to[i] = from[i] + i;
}
void turns(double re[8], double im[8], int x[48], int a[12], int b[12], int y[48], int z[40],
           int w[6]) {
  butterflies(re, im);
  hls::stream<int> in, out;
  for (int i = 0; i < 8; i++)
    in.write(x[i]);
  folds(in, out);
  for (int i = 0; i < 6; i++)
    y[i] = out.read();
  bool flag = true;
  for (int t = 0; t < 3; t++) {
    if (flag)
      move(a, b);
    else
      move(b, a);
    flag = !flag;
  }
  int tmp, back = 5, le = 8;
  int *p, *q;
  p = x + 8;
  q = y + 6;
  for (int i = 0; i < 12; i++)
    *q++ = *p++ * 2;
  p = &a[11];
  for (int i = 0; i < 4; i++) {
    *q++ = *p - *(p - 1);
    p -= 2;
  }
  while (le > 1) {
    le = le / 2;
    for (int i = 0; i < le; i++)
      x[i] += x[i + le];
  }
  for (int i = 22; i < 48; i++) {
    int k = i ^ 3;
    back = 11 - back;
    {
      int back = 2;
      back += i;
      k += back & 1;
    }
    y[i] = x[(k + back) % 48];
  }
  int rows[2][10], cur = 0;
  for (int j = 0; j < 10; j++)
    rows[0][j] = b[j];
  for (int i = 0; i < 4; i++) {
    int prev = cur;
    cur ^= 1;
    for (int j = 0; j < 10; j++) {
      int l = j == 0 ? 0 : j - 1;
      rows[cur][j] = rows[prev][j] + rows[prev][l];
      z[i * 10 + j] = rows[cur][j];
    }
  }
  tmp = 0;
  for (int i = 0; i < 6; i++) {
    int *to = (i & 1) ? a : b;
    if (i % 3 == 1)
      tmp = tmp + 2;
    for (int n = 0; n < 3; n++) {
      int d = n == 0 ? -1 : n == 1 ? 1 : 0;
      if (i / 2 + d < 0 || i / 2 + d >= 3)
        continue;
      w[i] = to[i / 2 + d] + tmp;
    }
  }
}
