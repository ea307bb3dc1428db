#include <stdio.h>
#include <stdlib.h>
#include <math.h>
#include "ms_backprop.h"

static void weighted_sum(TYPE w[], TYPE in[], TYPE bias[], TYPE out[], int rows, int cols) {
  int i, j;
  for (i = 0; i < rows; i++) {
    out[i] = 0.0;
    for (j = 0; j < cols; j++)
      out[i] += w[i * cols + j] * in[j];
    out[i] += bias[i];
  }
}

static void activate(TYPE act[], TYPE dact[], int size) {
  int i;
  for (i = 0; i < size; i++) {
    dact[i] = act[i] * (1.0 - act[i]);
    act[i] = act[i] > 0.0 ? act[i] : 0.25 * act[i];
  }
}

void train(TYPE w1[IN * HID], TYPE w2[HID * OUT], TYPE b1[HID], TYPE b2[OUT],
           TYPE samples[SETS * IN], TYPE targets[SETS * OUT]) {
  int i, j, s;
  TYPE a1[HID], a2[OUT], d1[HID], d2[OUT], e1[HID], e2[OUT];
  epoch : for (s = 0; s < SETS; s++) {
    weighted_sum(w1, &samples[s * IN], b1, a1, HID, IN);
    activate(a1, d1, HID);
    weighted_sum(w2, a1, b2, a2, OUT, HID);
    activate(a2, d2, OUT);
    diff : for (i = 0; i < OUT; i++)
      e2[i] = (a2[i] - targets[s * OUT + i]) * d2[i];
    hidden : for (i = 0; i < HID; i++) {
      e1[i] = 0;
      for (j = 0; j < OUT; j++)
        e1[i] += e2[j] * w2[j * HID + i];
      e1[i] *= d1[i];
    }
    update2 : for (i = 0; i < OUT; i++) {
      for (j = 0; j < HID; j++)
        w2[i * HID + j] -= RATE * e2[i] * a1[j];
      b2[i] -= RATE * e2[i];
    }
    update1 : for (i = 0; i < HID; i++) {
      for (j = 0; j < IN; j++)
        w1[i * IN + j] -= RATE * e1[i] * samples[s * IN + j];
      b1[i] -= RATE * e1[i];
    }
  }
}
