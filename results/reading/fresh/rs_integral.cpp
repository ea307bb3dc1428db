#include "ap_int.h"
#define IMAGE_HEIGHT 16
#define IMAGE_WIDTH 20
#define WINDOW_SIZE 5
typedef ap_uint<8> uint8;
typedef ap_uint<18> uint18;
typedef ap_int<26> int26;
static int rect_weight[2] = {-1, 2};

void integral(uint8 Data[IMAGE_HEIGHT][IMAGE_WIDTH], uint18 Sum[IMAGE_HEIGHT][IMAGE_WIDTH], int26 *stddev) {
  uint18 row_sum;
  int26 total = 0, square = 0;
Ro:
  for (int y = 0; y < IMAGE_HEIGHT; y++) {
    row_sum = 0;
  Co:
    for (int x = 0; x < IMAGE_WIDTH; x++) {
#pragma HLS pipeline
      uint8 p = Data[y][x];
      row_sum += p;
      uint18 above = y > 0 ? Sum[y - 1][x] : uint18(0);
      Sum[y][x] = above + row_sum;
      total += p;
      square += p * p;
    }
  }
  int26 v = (square * (IMAGE_HEIGHT * IMAGE_WIDTH)) - total * total;
  int26 best = 0;
scan:
  for (int y = 0; y + WINDOW_SIZE < IMAGE_HEIGHT; y++)
    for (int x = 0; x + WINDOW_SIZE < IMAGE_WIDTH; x++) {
      int26 s = 0;
      for (int r = 0; r < 2; r++) {
#pragma HLS unroll
        int h = r == 0 ? WINDOW_SIZE : WINDOW_SIZE / 2;
        int26 area = Sum[y][x] - Sum[y + h][x] - Sum[y][x + WINDOW_SIZE] + Sum[y + h][x + WINDOW_SIZE];
        s += area * rect_weight[r];
      }
      if (s > best) best = s;
    }
  *stddev = v > 0 ? best : int26(-best);
}
