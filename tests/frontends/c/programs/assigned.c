/* run: assigned(double m1[256], double m2[256], double cubed[256], double blocked[256], double st[256], double f[9]) */
#include "assigned.h"

void assigned(TYPE m1[SIZE * SIZE], TYPE m2[SIZE * SIZE], TYPE cubed[SIZE * SIZE],
              TYPE blocked[SIZE * SIZE], TYPE st[SIZE * SIZE], TYPE f[9])
{
    int i, j, k, jj, kk, r, c;
    int i_row, k_row, i_col, k_col, at, edge;
    TYPE sum, temp, mul;

outer:
    for (i = 0; i < SIZE; i++) {
        for (j = 0; j < SIZE; j++) {
            i_col = i * SIZE;
            sum = 0;
            for (k = 0; k < SIZE; k++) {
                k_col = k * SIZE;
                mul = m1[i_col + k] * m2[k_col + j];
                sum += mul;
            }
            cubed[i_col + j] = sum;
        }
    }
    for (i = 0; i < SIZE * SIZE; i++)
        blocked[i] = 0;
    for (jj = 0; jj < SIZE; jj += BLOCK)
        for (kk = 0; kk < SIZE; kk += BLOCK)
            for (i = 0; i < SIZE; ++i)
                for (k = 0; k < BLOCK; ++k) {
                    i_row = i * SIZE;
                    k_row = (k + kk) * SIZE;
                    temp = m1[i_row + k + kk];
                    for (j = 0; j < BLOCK; ++j) {
                        mul = temp * m2[k_row + j + jj];
                        blocked[i_row + j + jj] += mul;
                    }
                }
    for (r = 0; r < SIZE; r++)
        for (c = 0; c < SIZE; c++) {
            temp = 0;
            for (i = 0; i < 3; i++) {
                at = r + i - 1;
                if (at < 0)
                    at = 0;
                edge = SIZE - 1;
                at = at > edge ? edge : at;
                at *= SIZE;
                for (j = 0; j < 3; j++)
                    if (c + j - 1 >= 0 && c + j - 1 < SIZE)
                        temp += f[i * 3 + j] * m1[at + c + j - 1];
            }
            st[r * SIZE + c] = temp;
        }
}
