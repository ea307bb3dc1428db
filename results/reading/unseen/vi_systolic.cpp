#include <stdio.h>
#define MAX_SIZE 8
const unsigned int c_size = MAX_SIZE;
extern "C" {
void mmult(const int *a, const int *b, int *c, int a_row, int a_col, int b_col) {
#pragma HLS INTERFACE m_axi port = a depth = 64 bundle = gmem
#pragma HLS INTERFACE m_axi port = b depth = 64 bundle = gmem
#pragma HLS INTERFACE m_axi port = c depth = 64 bundle = gmem
  int b_row = a_col;
  int c_row = a_row;
  int c_col = b_col;
  int localA[MAX_SIZE][MAX_SIZE];
#pragma HLS ARRAY_PARTITION variable = localA dim = 1 complete
  int localB[MAX_SIZE][MAX_SIZE];
#pragma HLS ARRAY_PARTITION variable = localB dim = 2 complete
  int localC[MAX_SIZE][MAX_SIZE];
#pragma HLS ARRAY_PARTITION variable = localC dim = 0 complete
readA:
  for (int loc = 0, i = 0, j = 0; loc < a_row * a_col; loc++, j++) {
#pragma HLS LOOP_TRIPCOUNT min = c_size *c_size max = c_size * c_size
    if (j == a_col) {
      i++;
      j = 0;
    }
    localA[i][j] = a[loc];
  }
readB:
  for (int loc = 0, i = 0, j = 0; loc < b_row * b_col; loc++, j++) {
    if (j == b_col) {
      i++;
      j = 0;
    }
    localB[i][j] = b[loc];
  }
systolic1:
  for (int k = 0; k < a_col; k++) {
  systolic2:
    for (int i = 0; i < MAX_SIZE; i++) {
#pragma HLS UNROLL
    systolic3:
      for (int j = 0; j < MAX_SIZE; j++) {
#pragma HLS UNROLL
        int last = (k == 0) ? 0 : localC[i][j];
        int a_val = (i < a_row && k < a_col) ? localA[i][k] : 0;
        int b_val = (k < b_row && j < b_col) ? localB[k][j] : 0;
        int result = last + a_val * b_val;
        localC[i][j] = result;
      }
    }
  }
writeC:
  for (int loc = 0, i = 0, j = 0; loc < c_row * c_col; loc++, j++) {
    if (j == c_col) {
      i++;
      j = 0;
    }
    c[loc] = localC[i][j];
  }
}
}
