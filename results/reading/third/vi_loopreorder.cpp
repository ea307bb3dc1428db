#define MAX_SIZE 12
const unsigned int c_dim = MAX_SIZE;
extern "C" {
void mmult(int *in1, int *in2, int *out_r, int size) {
#pragma HLS INTERFACE m_axi port = in1 depth = 144
  int A[MAX_SIZE][MAX_SIZE];
  int B[MAX_SIZE][MAX_SIZE];
  int C[MAX_SIZE][MAX_SIZE];
  int temp_sum[MAX_SIZE];
#pragma HLS ARRAY_PARTITION variable = B dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = temp_sum dim = 1 complete
readA:
  for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
#pragma HLS LOOP_TRIPCOUNT min = c_dim*c_dim max = c_dim * c_dim
    if (j == size) {
      j = 0;
      i++;
    }
    A[i][j] = in1[itr];
  }
readB:
  for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
    if (j == size) {
      j = 0;
      i++;
    }
    B[i][j] = in2[itr];
  }
loop1:
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++) temp_sum[j] = 0;
  loop2:
    for (int k = 0; k < size; k++) {
    loop3:
      for (int j = 0; j < MAX_SIZE; j++) {
        int result = (k == 0) ? 0 : temp_sum[j];
        result += A[i][k] * B[k][j];
        temp_sum[j] = result;
        if (k == size - 1) C[i][j] = result;
      }
    }
  }
writeC:
  for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
    if (j == size) {
      j = 0;
      i++;
    }
    out_r[itr] = C[i][j];
  }
}
void mm_top(int a[MAX_SIZE * MAX_SIZE], int b[MAX_SIZE * MAX_SIZE], int c[MAX_SIZE * MAX_SIZE]) { mmult(a, b, c, MAX_SIZE); }
}
