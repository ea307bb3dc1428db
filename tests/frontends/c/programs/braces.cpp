/* run: braces(int x[8], int y[8]) */
#include <cstdint>
struct Two {
  int a, b;
};
using byte = uint8_t;

int sum(Two p) { return p.a + p.b; }
Two after(int x) { return Two{x, x + 1}; }

void braces(int x[8], int y[8]) {
  int three{3};
  int few[2]{1, 2};
  for (int i{0}; i < 8; ++i) {
    Two p{x[i], three};
    Two q = Two{p.b, few[1]};
    y[i] = sum(p) + q.a + sum(after(i)) + (x[i] > 3 ? byte{1} : byte{7});
  }
}
