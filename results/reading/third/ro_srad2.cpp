#include <math.h>
#define Nr 12
#define Nc 10
#define ITER 2
#define Ne (Nr * Nc)

void extract(float image[Ne]) {
  for (int i = 0; i < Ne; i++) image[i] = expf(image[i] / 255);
}
extern "C" void workload(float J[Ne], float Jout[Ne]) {
#pragma HLS INTERFACE m_axi port=J offset=slave bundle=gmem
  float dN[Ne], dS[Ne], dW[Ne], dE[Ne], c[Ne];
  int iN[Nr], iS[Nr], jW[Nc], jE[Nc];
  float lambda = 0.5f;
  for (int i = 0; i < Nr; i++) {
    iN[i] = i - 1;
    iS[i] = i + 1;
  }
  for (int j = 0; j < Nc; j++) {
    jW[j] = j - 1;
    jE[j] = j + 1;
  }
  iN[0] = 0;
  iS[Nr - 1] = Nr - 1;
  jW[0] = 0;
  jE[Nc - 1] = Nc - 1;
  extract(J);
  for (int iter = 0; iter < ITER; iter++) {
    float sum = 0, sum2 = 0;
    for (int k = 0; k < Ne; k++) {
      float tmp = J[k];
      sum += tmp;
      sum2 += tmp * tmp;
    }
    float mean = sum / Ne, var = (sum2 / Ne) - mean * mean, q0sqr = var / (mean * mean);
    for (int j = 0; j < Nc; j++) {
      for (int i = 0; i < Nr; i++) {
        int k = i + Nr * j;
        float Jc = J[k];
        dN[k] = J[iN[i] + Nr * j] - Jc;
        dS[k] = J[iS[i] + Nr * j] - Jc;
        dW[k] = J[i + Nr * jW[j]] - Jc;
        dE[k] = J[i + Nr * jE[j]] - Jc;
        float G2 = (dN[k] * dN[k] + dS[k] * dS[k] + dW[k] * dW[k] + dE[k] * dE[k]) / (Jc * Jc);
        float L = (dN[k] + dS[k] + dW[k] + dE[k]) / Jc;
        float num = (0.5f * G2) - ((1.0f / 16.0f) * (L * L)), den = 1 + (.25f * L);
        float qsqr = num / (den * den);
        den = (qsqr - q0sqr) / (q0sqr * (1 + q0sqr));
        c[k] = 1.0f / (1.0f + den);
        if (c[k] < 0) c[k] = 0;
        else if (c[k] > 1) c[k] = 1;
      }
    }
    for (int j = 0; j < Nc; j++)
      for (int i = 0; i < Nr; i++) {
        int k = i + Nr * j;
        float cN = c[k], cS = c[iS[i] + Nr * j], cW = c[k], cE = c[i + Nr * jE[j]];
        float D = cN * dN[k] + cS * dS[k] + cW * dW[k] + cE * dE[k];
        J[k] = J[k] + 0.25f * lambda * D;
      }
  }
  for (int i = 0; i < Ne; i++) Jout[i] = logf(J[i]) * 255;
}
