/* run: stages(float re[16], float im[16], float wr[8], float wi[8], float a[16], int s[8]) */
void stages(float re[16], float im[16], const float wr[8], const float wi[8], float a[16], int s[8]) {
  for (int s = 0; s < 4; s++) {
    int half = 1 << s;
    int step = 16 >> (s + 1);
    for (int g = 0; g < 16; g += 2 * half)
      for (int k = 0; k < half; k++) {
        float tr = wr[k * step] * re[g + k + half] - wi[k * step] * im[g + k + half];
        float ti = wr[k * step] * im[g + k + half] + wi[k * step] * re[g + k + half];
        re[g + k + half] = re[g + k] - tr;
        im[g + k + half] = im[g + k] - ti;
        re[g + k] += tr;
        im[g + k] += ti;
      }
  }
  for (int h = 1; h < 16; h *= 2)
    for (int i = 0; i < 16; i += h * 2)
      for (int j = i; j < i + h; j++) {
        float x = a[j], y = a[j + h];
        a[j] = x + y;
        a[j + h] = x - y;
      }
  int n;
  for (n = 4; n > 0; n >>= 1)
    for (int i = 0; i < n; i++) s[i] += s[i + n];
}
