/* run: shift(float x[64], float h[16], float y[64]) */
void shift(float x[64], float h[16], float y[64]) {
  static float line[16];
  int i, n;
  for (n = 0; n < 64; n++) {
    float acc = 0;
    for (i = 15; i > 0; i--) line[i] = line[i-1];
    line[0] = x[n];
    for (i = 0; i < 16; i++) acc += line[i] * h[i];
    y[n] = acc;
  }
}
