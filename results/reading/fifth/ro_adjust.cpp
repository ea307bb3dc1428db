#include <stdlib.h>
#include <math.h>

#define ETA 0.3f
#define MOMENTUM 0.3f
#define IN_SIZE 64
#define HID_SIZE 16
#define TILE 16

void adjust_weights(float delta[HID_SIZE + 1], float ly[IN_SIZE + 1],
                    float (*w)[HID_SIZE + 1], float (*oldw)[HID_SIZE + 1]) {
    float new_dw;
    int k, j;
    ly[0] = 1.0;
    for (j = 1; j <= HID_SIZE; j++) {
        for (k = 0; k <= IN_SIZE; k++) {
#pragma HLS pipeline II=1
            new_dw = ((ETA * delta[j] * ly[k]) + (MOMENTUM * oldw[k][j]));
            w[k][j] += new_dw;
            oldw[k][j] = new_dw;
        }
    }
}

float hidden_error(float delta_h[HID_SIZE + 1], float delta_o, float who[HID_SIZE + 1], float hidden[HID_SIZE + 1]) {
    float errsum = 0.0f;
    for (int j = 1; j <= HID_SIZE; j++) {
        float h = hidden[j];
        delta_h[j] = h * (1.0f - h) * (delta_o * who[j]);
        errsum += fabsf(delta_h[j]);
    }
    return errsum;
}

extern "C" void bp_back(float input_units[IN_SIZE + 1], float hidden_units[HID_SIZE + 1],
                        float w[IN_SIZE + 1][HID_SIZE + 1], float prev[IN_SIZE + 1][HID_SIZE + 1],
                        float who[HID_SIZE + 1], float target[1], float err[1]) {
    float delta_h[HID_SIZE + 1];
    for (int j = 0; j < HID_SIZE + 1; j++) delta_h[j] = 0;
    float out = 0.0f;
    for (int j = 0; j <= HID_SIZE; ++j) out += hidden_units[j] * who[j];
    out = 1.0f / (1.0f + expf(-out));
    float delta_o = out * (1.0f - out) * (target[0] - out);
    err[0] = hidden_error(delta_h, delta_o, who, hidden_units);
    adjust_weights(delta_h, input_units, w, prev);
}
