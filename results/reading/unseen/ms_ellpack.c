#include <stdint.h>
#define N 16
#define L 4
#define TYPE double
void ellpack(TYPE nzval[N * L], int32_t cols[N * L], TYPE vec[N], TYPE out[N]) {
  int i, j;
  TYPE Si;
  rows : for (i = 0; i < N; i++) {
    TYPE sum = out[i];
    cols : for (j = 0; j < L; j++) {
      Si = nzval[j + i * L] * vec[cols[j + i * L] & (N - 1)];
      sum += Si;
    }
    out[i] = sum;
  }
}
