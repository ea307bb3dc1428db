/* Two layers of a perceptron, for 64 rows of 128 features. */
void mlp(const float x[64][128], const float w[128][256], const float v[256][10], float y[64][10]) {
  float h[64][256];
hidden:
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 256; j++) {
      float sum = 0;
      for (int k = 0; k < 128; k++) sum += x[i][k] * w[k][j];
      h[i][j] = sum > 0 ? sum : 0;
    }
scores:
  for (int i = 0; i < 64; i++)
    for (int j = 0; j < 10; j++) {
      y[i][j] = 0;
      for (int k = 0; k < 256; k++) y[i][j] += h[i][k] * v[k][j];
    }
}
