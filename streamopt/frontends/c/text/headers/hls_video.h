// Line buffers and windows of Vivado HLS's video library: their methods, as UG902 describes them.
#ifndef STREAMOPT_HLS_VIDEO_H
#define STREAMOPT_HLS_VIDEO_H

namespace hls {

template <int ROWS, int COLS, typename T>
class LineBuffer {
public:
    T val[ROWS][COLS];

    void shift_pixels_up(int col) {
        for (int row = 0; row < ROWS - 1; row++)
            val[row][col] = val[row + 1][col];
    }
    void shift_pixels_down(int col) {
        for (int row = ROWS - 1; row > 0; row--)
            val[row][col] = val[row - 1][col];
    }
    void shift_up(int col) { shift_pixels_up(col); }
    void shift_down(int col) { shift_pixels_down(col); }
    void insert_bottom_row(T value, int col) { val[ROWS - 1][col] = value; }
    void insert_top_row(T value, int col) { val[0][col] = value; }
    void insert_bottom(T value, int col) { val[ROWS - 1][col] = value; }
    void insert_top(T value, int col) { val[0][col] = value; }
    T getval(int row, int col) { return val[row][col]; }
};

template <int ROWS, int COLS, typename T>
class Window {
public:
    T val[ROWS][COLS];

    void shift_pixels_left() {
        for (int row = 0; row < ROWS; row++)
            for (int col = 0; col < COLS - 1; col++)
                val[row][col] = val[row][col + 1];
    }
    void shift_pixels_right() {
        for (int row = 0; row < ROWS; row++)
            for (int col = COLS - 1; col > 0; col--)
                val[row][col] = val[row][col - 1];
    }
    void shift_pixels_up() {
        for (int row = 0; row < ROWS - 1; row++)
            for (int col = 0; col < COLS; col++)
                val[row][col] = val[row + 1][col];
    }
    void shift_pixels_down() {
        for (int row = ROWS - 1; row > 0; row--)
            for (int col = 0; col < COLS; col++)
                val[row][col] = val[row - 1][col];
    }
    void shift_left() { shift_pixels_left(); }
    void shift_right() { shift_pixels_right(); }
    void shift_up() { shift_pixels_up(); }
    void shift_down() { shift_pixels_down(); }
    void insert_pixel(T value, int row, int col) { val[row][col] = value; }
    void insert(T value, int row, int col) { val[row][col] = value; }
    T getval(int row, int col) { return val[row][col]; }
};

}  // namespace hls

#endif
