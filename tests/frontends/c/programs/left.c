/* run: left(int a[16], int b[16], int c[16], int d[16]) */
static int place(const int v[16], int key) {
  int k;
  for (k = 0; k < 16; k++)
    if (v[k] > key) break;
  return k;
}
static int first(const int m[16], int key) {
  for (int i = 0; i < 4; i++) {
    for (int j = 0; j < 4; j++)
      if (m[4 * i + j] > key) return 4 * i + j;
    if (m[4 * i] == key) return -7;
  }
  key++;
  return key;
}
static int halves(const int *v, int n) {
  if (n == 1) return v[0];
  return halves(v, n / 2) - halves(v + n / 2, n - n / 2);
}

void left(int a[16], int b[16], int c[16], int d[16]) {
  int i = 3, n = 4, s = 0;
  i += a[0];
  for (int j = 0; j < 16; j++) b[j] = i;
  for (i = 0; i < 16; i += 3) {
    if (a[i] > 500) break;
    s += a[i];
  }
  for (int j = 0; j < n; j++) {
    b[j] += s + i;
    if (j == 2 && n < 8) n = 8;
  }
  for (int j = 0; j < 16; j++) {
    int x = a[j];
    int y = x++ + 1;
    c[j] = y - --x * 2;
    d[j] = place(a, c[j]) + 100 * first(a, a[j]);
  }
  d[3] += halves(a, 9) + n;
}
