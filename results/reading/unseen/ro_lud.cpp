#define SIZE 12
#define BS 4
void diagonal(float a[SIZE][SIZE], int offset) {
  for (int i = 0; i < BS; i++) {
    for (int j = i; j < BS; j++)
      for (int k = 0; k < i; k++) a[offset + i][offset + j] -= a[offset + i][offset + k] * a[offset + k][offset + j];
    float temp = 1.f / a[offset + i][offset + i];
    for (int j = i + 1; j < BS; j++) {
      for (int k = 0; k < i; k++) a[offset + j][offset + i] -= a[offset + j][offset + k] * a[offset + k][offset + i];
      a[offset + j][offset + i] *= temp;
    }
  }
}

void perimeter(float a[SIZE][SIZE], int offset) {
  for (int chunk = offset + BS; chunk < SIZE; chunk += BS) {
    for (int j = 0; j < BS; j++)
      for (int i = 0; i < BS; i++) {
        float sum = 0.f;
        for (int k = 0; k < i; k++) sum += a[offset + i][offset + k] * a[offset + k][chunk + j];
        a[offset + i][chunk + j] -= sum;
      }
    for (int i = 0; i < BS; i++)
      for (int j = 0; j < BS; j++) {
        float sum = 0.f;
        for (int k = 0; k < j; k++) sum += a[chunk + i][offset + k] * a[offset + k][offset + j];
        a[chunk + i][offset + j] = (a[chunk + i][offset + j] - sum) / a[offset + j][offset + j];
      }
  }
}

void internal(float a[SIZE][SIZE], int offset) {
  for (int r = offset + BS; r < SIZE; r++)
    for (int c = offset + BS; c < SIZE; c++)
      for (int k = 0; k < BS; k++) a[r][c] -= a[r][offset + k] * a[offset + k][c];
}

extern "C" void lud(float result[SIZE * SIZE]) {
  float a[SIZE][SIZE];
  for (int i = 0; i < SIZE * SIZE; i++) a[i / SIZE][i % SIZE] = result[i];
  for (int offset = 0; offset < SIZE; offset += BS) {
    diagonal(a, offset);
    if (offset < SIZE - BS) {
      perimeter(a, offset);
      internal(a, offset);
    }
  }
  for (int i = 0; i < SIZE; i++)
    for (int j = 0; j < SIZE; j++) result[i * SIZE + j] = a[i][j];
}
