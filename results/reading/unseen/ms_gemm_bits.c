#include <stdint.h>
/* matrix product with 16-bit operands, three blocked loops, 64-bit sums and a saturated result */
#define row_size 16
#define col_size 16
#define block_size 4
#define N (row_size * col_size)
void mm16(int16_t m1[N], int16_t m2[N], int16_t prod[N]) {
  int i, k, j, jj, kk;
  int i_row, k_row;
  int64_t acc[N];
  clear : for (i = 0; i < N; ++i) acc[i] = 0;
  loopjj : for (jj = 0; jj < row_size; jj += block_size) {
    loopkk : for (kk = 0; kk < row_size; kk += block_size) {
      loopi : for (i = 0; i < row_size; ++i) {
        loopk : for (k = 0; k < block_size; ++k) {
          i_row = i * row_size;
          k_row = (k + kk) * row_size;
          int32_t temp = m1[i_row + k + kk];
          loopj : for (j = 0; j < block_size; ++j) {
            acc[i_row + j + jj] += (int64_t)temp * m2[k_row + j + jj];
          }
        }
      }
    }
  }
  round : for (i = 0; i < N; ++i) {
    int64_t v = (acc[i] + (1 << 14)) >> 15;
    if (v > INT16_MAX) v = INT16_MAX;
    else if (v < INT16_MIN) v = INT16_MIN;
    prod[i] = (int16_t)v;
  }
}
