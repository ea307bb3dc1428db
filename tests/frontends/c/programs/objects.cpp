/* run: objects(float x[32], int w[32], float y[32], int z[32]) */
struct complex_t {
  float re, im;
  complex_t operator+(const complex_t &o) const { return {re + o.re, im + o.im}; }
  complex_t &operator+=(const complex_t &o) {
    re += o.re;
    im += o.im;
    return *this;
  }
  bool operator<(const complex_t &o) const { return re < o.re; }
};
static complex_t operator-(const complex_t &a) {
  complex_t r;
  r = {-a.re, -a.im};
  return r;
}
inline complex_t operator*(complex_t a, complex_t b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline complex_t operator*(complex_t a, float b) {
  complex_t r{a.re * b, a.im * b};
  return r;
}

class tally {
  static const int WEIGHT[3];
  int sum, last;

public:
  tally() : tally(1) {}
  ~tally(void) {}
  explicit tally(int start) : sum(start), last(0) {}
  tally(int start, int before) {
    sum = start;
    last = before;
  }
  void add(int x, int scale = 2);
  static int twice(int x) { return 2 * x; }
  int get() const { return sum + last; }
};
const int tally::WEIGHT[3] = {3, -5, 7};
void tally::add(int x, int scale) {
  for (int k = 0; k < 3; k++)
    sum += WEIGHT[k] * x;
  last = twice(last) + scale;
}

template <typename T, int N> class filter {
  T taps[N];
  tally seen;
  typedef T value_t;

public:
  filter();
  T run(T x);
  int total() { return seen.get(); }
};
template <typename T, int N> filter<T, N>::filter() {
  for (int i = 0; i < N; i++)
    taps[i] = i;
}
template <typename T, int N> T filter<T, N>::run(T x) {
  value_t sum = 0;
  for (int i = N - 1; i > 0; i--)
    taps[i] = taps[i - 1];
  taps[0] = x;
  for (int i = 0; i < N; i++)
    sum += taps[i];
  seen.add(x > 0, 1);
  return sum;
}

enum class kind : unsigned char { plus, minus = 5, times };
template <typename T> struct traits;
template <> struct traits<int> {
  static const int shift = 3;
  typedef long wide;
};
template <> struct traits<short> {
  static const int shift = 1;
  using wide = int;
};
template <typename T> using wide_of = typename traits<T>::wide;
template <kind k> int apply(int a, int b) {
  switch (k) {
  case kind::plus: return a + b;
  case kind::minus: return a - b;
  default: return a * b;
  }
}
template <int N> int tree(const int x[32], int at) {
  if constexpr (N == 1)
    return x[at];
  else
    return tree<N / 2>(x, at) + tree<N / 2>(x, at + N / 2);
}
static int cut(int x) { return x > 100 ? 100 : x; }
static float cut(float x) { return x > 1 ? 1 : x; }
static int cut(int x, int most) { return x > most ? most : x; }

void objects(float x[32], int w[32], float y[32], int z[32]) {
  complex_t s = {0, 0}, least = {1e9f, 0};
  tally all, some(2), more(w[0], 4);
  filter<float, 4> smooth;
  for (int i = 0; i < 16; i++) {
    complex_t p = {x[2 * i], x[2 * i + 1]}, q{y[2 * i], y[2 * i + 1]};
    complex_t c = p * q + p * 0.5f + -q;
    s += c;
    if (c < least)
      least = c;
    all.add(w[i]);
    some.add(w[i], 3);
    y[2 * i] = smooth.run(c.re) + least.re;
    y[2 * i + 1] = cut(s.im);
  }
  more.add(smooth.total());
  for (int i = 0; i < 32; i++) {
    wide_of<int> v = w[i];
    z[i] = apply<kind::minus>(cut(w[i]), 3) + (v << traits<int>::shift) + apply<kind::times>(cut(w[i], 7), 2);
    z[i] += tally::twice(w[i]) + traits<short>::shift;
  }
  z[0] = all.get() + some.get() + tree<32>(w, 0);
  z[1] = more.get();
}
