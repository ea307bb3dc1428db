/* run: moving(float x[40], float h[5], float y[36], float w[20], float v[20]) */
static float dot(const float *a, const float *b, int n) {
  float s = 0;
  while (n > 0) { s += *a++ * *b++; n--; }
  return s;
}
void moving(const float *x, const float *h, float *y, float *w, float *v) {
  const float *from = x;
  float *to = w;
  for (int i = 0; i < 20; i++) {
    *to++ = *from++ * 2.0f;
    from++;
  }
  int k = 0;
  for (int i = 0; i < 20; i++) v[k++] = w[i] + x[i];
  const float *p = x + 35;
  for (int i = 0; i < 36; i++) {
    y[35 - i] = dot(p, h, 5);
    p -= 1;
  }
  p = x + 3;
  for (int i = 0; i < 10; i++, p += 2) y[i] += p[1];
}
