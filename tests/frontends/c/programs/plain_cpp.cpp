/* run: plain_cpp(int x[16], float s[16], int y[16], float t[16]) */
#include <array>
#include <limits>
#include <type_traits>
#include <utility>

namespace hw::v1 {
constexpr int K = 0b1'01;
}
namespace hw {
inline namespace v2 {
template <typename T> T twice(T v) { return v * 2; }
}
}
namespace h = hw;

struct cx {
  float re, im;
  cx(float r = 0, float i = 0) : re(r), im(i) {}
  cx operator+(const cx &o) const { return cx(re + o.re, im + o.im); }
  cx &operator+=(const cx &o) { re += o.re; im += o.im; return *this; }
  friend cx operator*(const cx &a, const cx &b) {
    return cx(a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re);
  }
};

class grid {
  enum { N = 4, LAST = N - 1 };
  int cells[N][N];
  int bias = 4;
  int gain{3};

public:
  int &at(int i, int j) { return cells[i][j]; }
  const int &at(int i, int j) const { return cells[i][j]; }
  int last() const { return cells[LAST][LAST] * gain + bias; }
};

template <int I> struct each {
  static void go(const int *a, int *b) { b[I - 1] += a[I - 1] * I; each<I - 1>::go(a, b); }
};
template <> struct each<0> {
  static void go(const int *, int *) {}
};
template <typename T, int R, int C> void doubled(T (&v)[R][C]) {
  T w[R][C];
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) w[i][j] = v[i][j] + C;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) v[i][j] = hw::twice(w[i][j]);
}
template <typename T> const T &larger(const T &a, const T &b) { return a > b ? a : b; }
template <int W> struct sum { using type = typename std::conditional<(W > 16), long long, int>::type; };
static std::pair<int, int> sorted(int a, int b) {
  return a < b ? std::make_pair(a, b) : std::make_pair(b, a);
}

void plain_cpp(int x[16], float s[16], int y[16], float t[16]) {
  grid g;
  int v[4][4], least = std::numeric_limits<int>::max();
  unsigned none{};
  sum<32>::type total = 0;
  std::array<int, 4> w = {1, 2, 3, 4};
  for (int i = 0; i < 16; i++) {
    g.at(i / 4, i % 4) = x[i];
    v[i / 4][i % 4] = x[i];
    least = x[i] < least ? x[i] : least;
    total += (sum<32>::type)x[i] * h::v1::K;
  }
  doubled(v);
  for (int i = 0; i < 16; i++) y[i] = v[i / 4][i % 4] + least + g.last() + (int)none;
  each<8>::go(x, y);
  cx all;
  for (int i = 0; i < 8; i++) {
    std::pair<int, int> p = sorted(x[2 * i], x[2 * i + 1]);
    y[2 * i] += p.first - w.at(i % 4);
    y[2 * i + 1] += larger(p.second, 5) + (int)(total >> 3);
    cx one(s[2 * i], s[2 * i + 1]);
    all += one * one + cx(1);
    t[2 * i] = all.re;
    t[2 * i + 1] = all.im;
  }
}
