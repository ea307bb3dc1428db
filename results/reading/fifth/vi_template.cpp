#include <ap_int.h>

struct AddOp {
    template <typename T>
    static T apply(const T &a, const T &b) {
#pragma HLS INLINE
        return a + b;
    }
};

struct MaxOp {
    template <typename T>
    static T apply(const T &a, const T &b) {
#pragma HLS INLINE
        return a > b ? a : b;
    }
};

template <typename T, int N, class OP>
T reduce(const T in[N]) {
    T level[N];
#pragma HLS ARRAY_PARTITION variable=level complete
    for (int i = 0; i < N; i++)
        level[i] = in[i];
    for (int s = N / 2; s > 0; s /= 2) {
        for (int i = 0; i < s; i++) {
#pragma HLS UNROLL
            level[i] = OP::apply(level[i], level[i + s]);
        }
    }
    return level[0];
}

template <int ROWS, int COLS>
void reduce_rows(const int m[ROWS][COLS], int sums[ROWS], int maxima[ROWS]) {
    for (int r = 0; r < ROWS; r++) {
#pragma HLS PIPELINE
        sums[r] = reduce<int, COLS, AddOp>(m[r]);
        maxima[r] = reduce<int, COLS, MaxOp>(m[r]);
    }
}

void top(const int m[8][16], int sums[8], int maxima[8]) {
    reduce_rows<8, 16>(m, sums, maxima);
}
