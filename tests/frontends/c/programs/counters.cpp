/* run: counters(int x[96], int y[128], int z[96], int n = 12) */
void counters(int x[96], int y[128], int z[96], int n) {
  int a[16 * 8];
read:
  for (int at = 0, i = 0, j = 0; at < n * 8; at++, j++) {
    if (j == n) {
      j = 0;
      i++;
    }
    a[i * 16 + j] = x[at];
  }
  int row = 0, col = 0;
  for (int at = 0; at < 96; at++) {
    z[row * 12 + col] = a[row * 16 + col] + row;
    col++;
    if (col == 12) {
      col = 0;
      row++;
    }
  }
  int next = 0;
  for (int r = 0; r < 10; r++)
    for (int c = 0; c < 20; c++) {
      if (r < 1 || c >= 16)
        continue;
      if (r < 9)
        y[next++] = r * 100 + c;
    }
}
