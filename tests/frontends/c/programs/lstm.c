/* run: lstm(float x[6], float h[5], float c[5], float Wx[20][6], float Wh[20][5], float b[20]) */
#include <math.h>
#define I 6
#define HID 5
static float sigmoid(float v) { return 1.0f / (1.0f + expf(-v)); }

void lstm(float x[I], float h[HID], float c[HID], float Wx[4 * HID][I], float Wh[4 * HID][HID],
          float b[4 * HID])
{
    float gates[4 * HID];
    for (int g = 0; g < 4 * HID; g++) {
        gates[g] = b[g];
        for (int i = 0; i < I; i++) gates[g] += Wx[g][i] * x[i];
        for (int k = 0; k < HID; k++) gates[g] += Wh[g][k] * h[k];
    }
    for (int k = 0; k < HID; k++) {
        float in = sigmoid(gates[k]), forget = sigmoid(gates[HID + k]);
        float cell = tanhf(gates[2 * HID + k]), out = sigmoid(gates[3 * HID + k]);
        c[k] = forget * c[k] + in * cell;
        h[k] = out * tanhf(c[k]);
    }
}
