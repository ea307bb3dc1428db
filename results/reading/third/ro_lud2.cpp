/* blocked LU: the diagonal block, the perimeter, the rest */
#define SIZE 12
#define BSIZE 4
#define AA(i, j) result[(offset + i) * SIZE + j + offset]
#define BB(i, j) result[i * SIZE + j]

extern "C" {
void diagonal(float result[SIZE * SIZE], int offset) {
  int i, j, k;
  for (i = 0; i < BSIZE; i++) {
    for (j = i; j < BSIZE; j++) {
      float sum = AA(i, j);
      for (k = 0; k < i; k++) sum -= AA(i, k) * AA(k, j);
      AA(i, j) = sum;
    }
    for (j = i + 1; j < BSIZE; j++) {
      float sum = AA(j, i);
      for (k = 0; k < i; k++) sum -= AA(j, k) * AA(k, i);
      AA(j, i) = sum / AA(i, i);
    }
  }
}
void perimeter(float result[SIZE * SIZE], int offset) {
  float diag[BSIZE * BSIZE], row[BSIZE * BSIZE], col[BSIZE * BSIZE];
  int i, j, k;
  for (i = 0; i < BSIZE; i++)
    for (j = 0; j < BSIZE; j++) diag[i * BSIZE + j] = AA(i, j);
  int chunks = SIZE / BSIZE - (offset / BSIZE) - 1;
  for (int chunk = 0; chunk < chunks; chunk++) {
    int i_global = offset, j_global = offset + BSIZE * (chunk + 1);
    for (i = 0; i < BSIZE; i++)
      for (j = 0; j < BSIZE; j++) {
        row[i * BSIZE + j] = BB((i_global + i), (j_global + j));
        col[i * BSIZE + j] = BB((j_global + i), (i_global + j));
      }
    for (j = 0; j < BSIZE; j++)
      for (i = 0; i < BSIZE; i++) {
        float sum = 0.0f;
        for (k = 0; k < i; k++) sum += diag[BSIZE * i + k] * row[k * BSIZE + j];
        row[i * BSIZE + j] = row[i * BSIZE + j] - sum;
        BB((i_global + i), (j_global + j)) = row[i * BSIZE + j];
      }
    for (i = 0; i < BSIZE; i++)
      for (j = 0; j < BSIZE; j++) {
        float sum = 0.0f;
        for (k = 0; k < j; k++) sum += col[BSIZE * i + k] * diag[k * BSIZE + j];
        col[i * BSIZE + j] = (col[i * BSIZE + j] - sum) / diag[j * BSIZE + j];
        BB((j_global + i), (i_global + j)) = col[i * BSIZE + j];
      }
  }
}
void internal(float result[SIZE * SIZE], int offset) {
  int i, j, k;
  for (i = offset + BSIZE; i < SIZE; i++)
    for (j = offset + BSIZE; j < SIZE; j++) {
      float sum = 0.0f;
      for (k = 0; k < BSIZE; k++) sum += BB(i, (offset + k)) * BB((offset + k), j);
      BB(i, j) -= sum;
    }
}
void workload(float result[SIZE * SIZE]) {
#pragma HLS INTERFACE m_axi port=result offset=slave bundle=gmem
  for (int i = 0; i < SIZE - BSIZE; i += BSIZE) {
    diagonal(result, i);
    perimeter(result, i);
    internal(result, i);
  }
  int i = SIZE - BSIZE;
  diagonal(result, i);
  return;
}
}
