/* run: counted(float a[24], float b[24], float c[24], float x[40], float re[20], float im[20], float y[20], float z[20], int flat = 24) */
void counted(const float *a, const float *b, float *c, const float *x, float *re, float *im,
             float y[20], float z[20], int flat) {
  int idx = 0, i, j;
  for (i = 0; i < 4; i++)
    for (j = 0; j < 6; j++) {
      c[idx] = a[idx] - 2 * b[idx];
      idx++;
    }
  c[idx - flat] += 1;
  int p = 0;
  for (i = 0; i < 20; i++) {
    re[i] = x[p];
    im[i] = x[p + 1];
    p += 2;
  }
  int n = 0;
  while (n < 20) {
    y[n] = re[n] * im[n];
    n++;
  }
  int k = 19;
  while (k >= 1) {
    z[k] = y[k] + y[k - 1];
    k = k - 2;
    z[k + 1] = y[k + 1];
  }
  for (int l = 0, r = 19; l < r; l++, r--) {
    float t = y[l];
    y[l] = y[r];
    y[r] = t;
  }
}
