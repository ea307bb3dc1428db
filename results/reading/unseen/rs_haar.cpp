#include <ap_int.h>
#include <string.h>
#define WIN 9
#define IMG_W 20
#define IMG_H 14
typedef unsigned char uchar;
typedef ap_uint<18> sum_t;

static void shift_window(int I[WIN][2 * WIN], uchar L[WIN][IMG_W], sum_t II[WIN][WIN], int x, uchar fresh) {
#pragma HLS inline
  for (int u = 0; u < WIN; u++)
    for (int v = 0; v < WIN; v++) II[u][v] = II[u][v] + (I[u][v + 1] - I[u][0]);
  for (int j = 0; j < 2 * WIN - 1; j++)
    for (int i = 0; i < WIN; i++) {
      if (i + j != 2 * WIN - 1)
        I[i][j] = I[i][j + 1];
      else if (i > 0)
        I[i][j] = I[i][j + 1] + I[i - 1][j + 1];
    }
  for (int i = 0; i < WIN - 1; i++) I[i][2 * WIN - 1] = L[i + 1][x];
  I[WIN - 1][2 * WIN - 1] = fresh;
  for (int k = 0; k < WIN - 1; k++) L[k][x] = L[k + 1][x];
  L[WIN - 1][x] = fresh;
}

void haar(const uchar img[IMG_H][IMG_W], int response[IMG_H][IMG_W]) {
  int I[WIN][2 * WIN];
  uchar L[WIN][IMG_W];
  sum_t II[WIN][WIN];
  static const ap_int<4> rect[3][5] = {{0, 0, 8, 8, -1}, {0, 2, 8, 4, 3}, {2, 0, 6, 8, 1}};
  memset(L, 0, sizeof(L));
  for (int u = 0; u < WIN; u++)
    for (int v = 0; v < 2 * WIN; v++) {
      I[u][v] = 0;
      if (v < WIN) II[u][v] = 0;
    }
  for (int y = 0; y < IMG_H; y++)
    for (int x = 0; x < IMG_W; x++) {
#pragma HLS pipeline
      shift_window(I, L, II, x, img[y][x]);
      int s = 0;
      for (int r = 0; r < 3; r++) {
        int part = II[2 + r][2] - II[0][2 + r] + II[r][r];
        s += part * rect[r][4];
      }
      response[y][x] = y >= WIN - 1 && x >= WIN - 1 ? s : 0;
    }
}
