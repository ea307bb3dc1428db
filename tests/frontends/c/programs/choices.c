/* run: choices(int mode, int a[16], int y[16], int z[16], int w[16], int t[4]) */
void choices(int mode, const int a[16], int y[16], int z[16], int w[16], int t[4]) {
  int i, n, sum;
  for (i = 16; i--;)
    y[i] = a[i] & 3;
  for (int k = 16; k-- > 0;) {
    switch (y[k]) {
    case 0:
      z[k] = 1;
      break;
    default:
      z[k] = y[k];
      if (mode > 0)
        break;
      z[k]++;
      break;
    case 1:
    case 2:
      z[k] = 5;
    case 'c': {
      z[k] += 9;
      break;
    }
    }
  }
  for (n = 0; n < 4; n++) {
    for (i = 0, sum = 0; i < 4; i++)
      sum += a[4 * n + i];
    t[n] = sum;
  }
  int k = 0;
  do {
    w[k] = a[15 - k];
    k++;
  } while (k < 16);
  int left = 3;
  do
    w[left] += a[left];
  while (--left);
  for (int s = 8; s; s >>= 1)
    w[s] += s;
}
