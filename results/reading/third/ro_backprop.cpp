#include <stdio.h>
#include <string.h>
#include <math.h>
#define IN 16
#define HID 16
#define ETA 0.3f
#define MOMENTUM 0.3f

extern "C" {
float squash(float x) { return (1.0 / (1.0 + expf(-x))); }

void bpnn_layerforward(float *l1, float *l2, float *conn, int n1, int n2) {
  float sum;
  int j, k;
  l1[0] = 1.0;
  for (j = 1; j <= n2; j++) {
    sum = 0.0;
    for (k = 0; k <= n1; k++) {
      sum += conn[k * (n2 + 1) + j] * l1[k];
    }
    l2[j] = squash(sum);
  }
}

void bpnn_adjust_weights(float *delta, int ndelta, float *ly, int nly, float *w, float *oldw) {
  float new_dw;
  int k, j;
  ly[0] = 1.0;
  for (j = 1; j <= ndelta; j++) {
    for (k = 0; k <= nly; k++) {
      new_dw = ((ETA * delta[j] * ly[k]) + (MOMENTUM * oldw[k * (ndelta + 1) + j]));
      w[k * (ndelta + 1) + j] += new_dw;
      oldw[k * (ndelta + 1) + j] = new_dw;
    }
  }
}

void workload(float input[IN + 1], float hidden[HID + 1], float delta[HID + 1], float weights[(IN + 1) * (HID + 1)],
              float prev[(IN + 1) * (HID + 1)]) {
#pragma HLS INTERFACE m_axi port=input offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=weights offset=slave bundle=gmem
#pragma HLS INTERFACE s_axilite port=return bundle=control
  bpnn_layerforward(input, hidden, weights, IN, HID);
  bpnn_adjust_weights(delta, HID, input, IN, weights, prev);
  return;
}
}
