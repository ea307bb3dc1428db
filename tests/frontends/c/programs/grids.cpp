/* run: grids(float a[2][8], float b[8][3], float c[2][3], int x[24], int y[24]) */
#include "hls_stream.h"
const int ROWS = 2, COLUMNS = 3;

static void cell(hls::stream<float> &west, hls::stream<float> &east, hls::stream<float> &north,
                 hls::stream<float> &south, float &out) {
  float sum = 0;
  for (int k = 0; k < 8; k++) {
    float left = west.read(), up = north.read();
    sum += left * up;
    east.write(left);
    south.write(up);
  }
  out = sum;
}

static void feed(float a[ROWS][8], float b[8][COLUMNS], hls::stream<float> right[ROWS][COLUMNS + 1],
                 hls::stream<float> down[ROWS + 1][COLUMNS]) {
  for (int k = 0; k < 8; k++) {
    for (int r = 0; r < ROWS; r++)
      right[r][0] << a[r][k];
    for (int c = 0; c < COLUMNS; c++)
      down[0][c] << b[k][c];
  }
}

template <int N> void dealt(int x[24], hls::stream<int> out[N]) {
  for (int i = 0; i < 24 / N; i++)
    for (int k = 0; k < N; k++)
      out[k].write(x[i * N + k] + k);
}

template <int N> void joined(hls::stream<int> in[N], int y[24]) {
  for (int i = 0; i < 24 / N; i++)
    for (int k = N - 1; k >= 0; k--)
      y[i * N + k] = in[k].read() * 3;
}

void grids(float a[2][8], float b[8][3], float c[2][3], int x[24], int y[24]) {
  static hls::stream<int> lanes[4];
  hls::stream<float> right[ROWS][COLUMNS + 1];
  hls::stream<float> down[ROWS + 1][COLUMNS];
  feed(a, b, right, down);
  for (int r = 0; r < ROWS; r++)
    for (int k = 0; k < COLUMNS; k++)
      cell(right[r][k], right[r][k + 1], down[r][k], down[r + 1][k], c[r][k]);
  dealt<4>(x, lanes);
  joined<4>(lanes, y);
}
