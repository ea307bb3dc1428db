/* face detection: a sliding window of integral values and one classifier */
typedef unsigned char uchar;
#define IMG 14
#define WIN 6

int weak(int II[WIN][WIN], int thr) {
#pragma HLS INLINE
  int whole = II[0][0] - II[0][WIN - 1] - II[WIN - 1][0] + II[WIN - 1][WIN - 1];
  int half = II[0][0] - II[0][WIN / 2] - II[WIN - 1][0] + II[WIN - 1][WIN / 2];
  int sum = whole * -1 + half * 2;
  return sum >= thr ? 1 : -1;
}
void detect(uchar data[IMG][IMG], int found[IMG * IMG]) {
  static int L[WIN - 1][IMG];
  static int I[WIN][2 * WIN];
  static int II[WIN][WIN];
#pragma HLS array_partition variable=II complete dim=0
  int n = 0;
  for (int u = 0; u < WIN; u++)
    for (int v = 0; v < WIN; v++) II[u][v] = 0;
  for (int u = 0; u < WIN; u++)
    for (int v = 0; v < 2 * WIN; v++) I[u][v] = 0;
  for (int v = 0; v < IMG; v++)
    for (int u = 0; u < WIN - 1; u++) L[u][v] = 0;
Pixely:
  for (int y = 0; y < IMG; y++) {
  Pixelx:
    for (int x = 0; x < IMG; x++) {
#pragma HLS PIPELINE
      for (int u = 0; u < WIN; u++)
        for (int v = 0; v < WIN; v++) II[u][v] = II[u][v] + (I[u][v + 1] - I[u][0]);
      for (int j = 0; j < 2 * WIN - 1; j++)
        for (int i = 0; i < WIN; i++) {
          if (i + j != 2 * WIN - 1) I[i][j] = I[i][j + 1];
          else if (i > 0) I[i][j] = I[i][j + 1] + I[i - 1][j + 1];
        }
      for (int i = 0; i < WIN - 1; i++) I[i][2 * WIN - 1] = L[i][x];
      I[WIN - 1][2 * WIN - 1] = data[y][x];
      for (int k = 0; k < WIN - 2; k++) L[k][x] = L[k + 1][x];
      L[WIN - 2][x] = data[y][x];
      found[n++] = (y >= WIN && x >= WIN) ? weak(II, 40) : 0;
    }
  }
}
