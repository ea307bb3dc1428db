/* run: words(int x[8][3], int y[8][3], int z[8][3], int equal[8], int64_t low[8], int top[8]) */
#include "ap_int.h"
#include "hls_stream.h"
typedef ap_uint<96> word;

static word mixed(word a, word b) { return (a & ~b) | (b ^ 5); }

static int ones(ap_uint<120> x) {
  int count = 0;
  for (int i = 0; i < 120; i++)
    count += x[i];
  return count;
}

void words(int x[8][3], int y[8][3], int z[8][3], int equal[8], int64_t low[8], int top[8]) {
  hls::stream<word> all;
  for (int i = 0; i < 8; i++) {
    word a = 0, b;
    for (int j = 0; j < 3; j++) {
      a.range(32 * j + 31, 32 * j) = x[i][j];
      b.range(32 * j + 31, 32 * j) = y[i][j] / 2;
    }
    all << mixed(a, b) << a;
  }
  for (int i = 0; i < 8; i++) {
    word c = all.read(), a = all.read();
    ap_int<120> n = x[i][0];
    n[3] = y[i][1];
    bool same = a == c;
    if (c != a)
      c[95] = 1;
    for (int j = 0; j < 3; j++)
      z[i][j] = c.range(32 * j + 31, 32 * j).to_int();
    equal[i] = same + (c[5] ? 2 : 0) + ones(n);
    low[i] = c.to_int64();
    top[i] = n.range(119, 112).to_int();
  }
}
