/* run: windows(uint8_t in[9][12], int out[9][12], int mean[1]) */
// Line buffers, windows and a counter as classes: members, constructors, functions that call others.
#define H 9
#define W 12
typedef unsigned char pixel;

template <int ROWS, int COLS, typename T>
class LineBuffer {
public:
    LineBuffer() {
#pragma HLS ARRAY_PARTITION variable = lines complete dim = 1
    }
    void push(int col, T value) {
        shift(col);
        lines[ROWS - 1][col] = value;
    }
    T at(int row, int col) const { return lines[row][col]; }

private:
    void shift(int col) {
        for (int i = 0; i < ROWS - 1; i++)
            lines[i][col] = lines[i + 1][col];
    }
    T lines[ROWS][COLS];
};

template <typename T, int SIZE>
struct Window {
    static const int LAST = SIZE - 1;
    T cells[SIZE][SIZE];
    void shift_left() {
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < LAST; j++)
                this->cells[i][j] = this->cells[i][j + 1];
    }
    void insert(T value, int row) { cells[row][LAST] = value; }
    int sum() {
        int total = 0;
        for (int i = 0; i < SIZE; i++)
            for (int j = 0; j < SIZE; j++)
                total += cells[i][j];
        return total;
    }
};

class Mean {
    int total, count;

public:
    Mean() : total(0), count(8) {}
    void add(int value) { total += value; }
    int get() { return total / count; }
};

void windows(pixel in[H][W], int out[H][W], int mean[1]) {
    LineBuffer<3, W, pixel> buffer;
    Window<pixel, 3> window;
    Mean all;
    for (int r = 0; r < H; r++)
        for (int c = 0; c < W; c++) {
            buffer.push(c, in[r][c]);
            window.shift_left();
            for (int k = 0; k < 3; k++)
                window.insert(buffer.at(k, c), k);
            out[r][c] = 0;
            if (r >= 2 && c >= 2)
                out[r][c] = window.sum();
            all.add(in[r][c]);
        }
    mean[0] = all.get();
}
