#include <math.h>
#define R 16
#define C 20
#define ITER 2
typedef float data_t;

template <typename T> T sum_of(T img[R][C]) {
  T total = 0;
  for (int i = 0; i < R; i++)
    for (int j = 0; j < C; j++) total += img[i][j];
  return total;
}

void diffusion(data_t J[R][C], data_t dN[R][C], data_t dS[R][C], data_t dW[R][C], data_t dE[R][C], data_t c[R][C],
               data_t q0sqr) {
  for (int i = 0; i < R; i++) {
    for (int j = 0; j < C; j++) {
#pragma HLS pipeline II=1
      const int n = i == 0 ? 0 : i - 1;
      const int s = i == R - 1 ? R - 1 : i + 1;
      const int w = j == 0 ? 0 : j - 1;
      const int e = j == C - 1 ? C - 1 : j + 1;
      const data_t Jc = J[i][j];
      dN[i][j] = J[n][j] - Jc;
      dS[i][j] = J[s][j] - Jc;
      dW[i][j] = J[i][w] - Jc;
      dE[i][j] = J[i][e] - Jc;
      const data_t G2 = (dN[i][j] * dN[i][j] + dS[i][j] * dS[i][j] + dW[i][j] * dW[i][j] + dE[i][j] * dE[i][j]) / (Jc * Jc);
      const data_t Lp = (dN[i][j] + dS[i][j] + dW[i][j] + dE[i][j]) / Jc;
      data_t num = 0.5f * G2 - 0.0625f * (Lp * Lp);
      data_t den = 1 + 0.25f * Lp;
      const data_t qsqr = num / (den * den);
      den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
      c[i][j] = 1.0f / (1.0f + den);
      if (c[i][j] < 0)
        c[i][j] = 0;
      else if (c[i][j] > 1)
        c[i][j] = 1;
    }
  }
}

void srad(data_t J[R][C], data_t lambda) {
  static data_t dN[R][C], dS[R][C], dW[R][C], dE[R][C], c[R][C];
  for (int it = 0; it < ITER; it++) {
    data_t sum = sum_of<data_t>(J), sum2 = 0;
    for (int i = 0; i < R; i++)
      for (int j = 0; j < C; j++) sum2 += J[i][j] * J[i][j];
    data_t mean = sum / (R * C);
    data_t var = sum2 / (R * C) - mean * mean;
    diffusion(J, dN, dS, dW, dE, c, var / (mean * mean));
    for (int i = 0; i < R; i++) {
      for (int j = 0; j < C; j++) {
        data_t cS = c[i < R - 1 ? i + 1 : i][j];
        data_t cE = c[i][j < C - 1 ? j + 1 : j];
        data_t D = c[i][j] * dN[i][j] + cS * dS[i][j] + c[i][j] * dW[i][j] + cE * dE[i][j];
        J[i][j] += 0.25f * lambda * D;
      }
    }
  }
}
