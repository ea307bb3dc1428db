/* run: top(int x[24], int y[24], int z[24], int sums[6], int mixed[6]) */
// Places that functions of classes give, templates for some arguments, constants of one name.
#include <ap_int.h>
#define WIDTH(N) (4 * (1 << (N)))
enum { ONE, TWO = 1 };

template <typename T, int N> class lanes {
  public:
    lanes() {}
    lanes(T start) {
        for (int i = 0; i < N; ++i) cells[i] = start;
    }
    T &operator[](int at) { return (cells[at]); }
    const T &operator[](int at) const { return (cells[at]); }
    T &mirror(int at) { return cells[N - 1 - at]; }
    T &operator()(int row, int column) { return cells[2 * row + column]; }

  private:
    T cells[N];
};

template <typename T, int N> struct tree {
    static T sum(const T x[N]) { return tree<T, N / 2>::sum(x) + tree<T, N - N / 2>::sum(x + N / 2); }
};
template <typename T> struct tree<T, 1> {
    static T sum(const T x[1]) { return x[0]; }
};

template <int N> void scale(const int x[24], int y[24]) {
    for (int i = 0; i < 24; i++) y[i] = x[i] * N;
}
void twice(const int x[24], int y[24]) {
    const int by = 2;
    scale<by>(x, y);
}
void thrice(const int x[24], int y[24]) {
    const int by = 3;
    scale<by>(x, y);
}

struct color { int r, g, b; };
struct edge { color from, to; };
namespace shades { const int DARK = 7; }
using shades::DARK;
static const unsigned long long MASK = 0x5555555555555555;

int weight(const color *of, int n) {
    int sum = 0;
    for (int i = 0; i < n; i++, ++of) sum += of->r * 3 + of->b;
    return sum;
}

int picked(int **from, int at) { return (*from)[at] + **from; }

void top(int x[24], int y[24], int z[24], int sums[6], int mixed[6]) {
    int *unused;
    int twos[24];
    twice(x, twos);
    thrice(twos, y);
    for (int n = 0; n < 6; n++) {
        lanes<int, WIDTH(ONE)> part(n), other;
        for (int i = 0; i < 4; i++) {
            part[i] += x[4 * n + i];
            other.mirror(i) = part[i] * i;
        }
        int kept[WIDTH(TWO) / 2];
        for (int i = 0; i < 4; i++) kept[i] = other[i] - part[i];
        for (int i = 0; i < 4; i++) z[4 * n + i] = other[i];
        sums[n] = tree<int, 4>::sum(kept);
        other(1, 0) -= DARK;
        edge ends[2];
        ends[n % 2].to = {x[n], y[n], n};
        color c = ends[n % 2].to;
        c = color{c.b, c.r - c.g, c.r};
        ap_uint<9> bits = x[n];
        mixed[n] = c.r * 64 + c.g * 8 + c.b + (bits.range(5, 3) << 2) + other[2];
    }
    int *first = x + 3;
    color row[4];
    for (int i = 0; i < 4; i++) row[i] = {x[i], y[i], i};
    mixed[0] = picked(&first, 5) + weight(row + 1, 3);
    for (int n = 1; n < 6; n++) mixed[n] += (int)(((unsigned long long)x[n] ^ MASK) >> 40);
}
