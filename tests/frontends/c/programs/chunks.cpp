/* run: chunks(float x[100], float y[100], float z[60], int n = 100) */
#include <cstdlib>
#include <cstring>

static void copied(float *to, const float *from) { *to = *from; }

void chunks(float x[100], float y[100], float z[60], int n) {
  float buffer[32], part[24];
  float *scratch = (float *)malloc(60 * sizeof(float));
  const int around[2][4] = {{0, 0, 1, -1}, {1, -1, 0, 0}};
  for (int i = 0; i < n; i += 32) {
    int size = 32;
    if ((i + 32) > n)
      size = n - i;
    for (int j = 0; j < size; j++)
      buffer[j] = x[i + j] * 2;
    for (int j = 0; j < size; j++)
      y[i + j] = buffer[j] + 1;
  }
  for (int r = 0; r < 6; r++)
    for (int c = 0; c < 10; c++) {
      float sum = 0;
      for (int k = 0; k < 4; k++) {
        int row = r + around[0][k], col = c + around[1][k];
        if (row >= 0 && row < 6 && col >= 0 && col < 10)
          sum += x[row * 10 + col];
      }
      scratch[r * 10 + c] = sum;
    }
  for (int i = 0; i < 3; i++) {
    int count = i == 2 ? 12 : 24;
    memcpy(part, scratch + i * 24, sizeof(float) * count);
    for (int j = 0; j < 24; j++)
      if (i * 24 + j < 60)
        copied(&z[i * 24 + j], &part[j]);
  }
  free(scratch);
}
