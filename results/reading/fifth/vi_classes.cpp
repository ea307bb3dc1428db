#include <ap_fixed.h>
#include <hls_stream.h>

template <typename T, int ROWS, int COLS>
class LineBuffer {
    T mem[ROWS][COLS];

  public:
    LineBuffer() {
#pragma HLS ARRAY_PARTITION variable=mem complete dim=1
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS; c++)
                mem[r][c] = 0;
    }
    void shift_up(int col) {
#pragma HLS INLINE
        for (int r = 0; r < ROWS - 1; r++) {
#pragma HLS UNROLL
            mem[r][col] = mem[r + 1][col];
        }
    }
    void insert_bottom(T v, int col) { mem[ROWS - 1][col] = v; }
    T getval(int r, int c) const { return mem[r][c]; }
};

template <typename T, int ROWS, int COLS>
struct Window {
    T val[ROWS][COLS];
    static const int SIZE = ROWS * COLS;

    void shift_left() {
#pragma HLS INLINE
        for (int r = 0; r < ROWS; r++)
            for (int c = 0; c < COLS - 1; c++)
                val[r][c] = val[r][c + 1];
    }
    T &operator()(int r, int c) { return val[r][c]; }
};

typedef ap_uint<8> pix_t;
#define HEIGHT 12
#define WIDTH 18

void blur(hls::stream<pix_t> &src, hls::stream<pix_t> &dst) {
#pragma HLS INTERFACE axis port=src
#pragma HLS INTERFACE axis port=dst
    LineBuffer<pix_t, 3, WIDTH> lb;
    Window<pix_t, 3, 3> win;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            win(i, j) = 0;

    for (int row = 0; row < HEIGHT; row++) {
        for (int col = 0; col < WIDTH; col++) {
#pragma HLS PIPELINE II=1
            pix_t in = src.read();
            lb.shift_up(col);
            lb.insert_bottom(in, col);
            win.shift_left();
            for (int r = 0; r < 3; r++)
                win(r, 2) = lb.getval(r, col);
            ap_uint<12> sum = 0;
            for (int r = 0; r < 3; r++)
                for (int c = 0; c < 3; c++)
                    sum += win(r, c);
            dst.write(row < 2 || col < 2 ? (pix_t)in : (pix_t)(sum / Window<pix_t, 3, 3>::SIZE));
        }
    }
}
