/* run: mlp(float in[8], float w1[6][8], float b1[6], float w2[4][6], float b2[4], float out[4]) */
#include <cmath>
#include <algorithm>
constexpr int IN = 8;
constexpr int HIDDEN = 6;
const int OUT = 4;

static void dense1(const float x[IN], const float w[HIDDEN][IN], const float b[HIDDEN], float y[HIDDEN])
{
    for (int o = 0; o < HIDDEN; ++o) {
        float acc = b[o];
        for (int i = 0; i < IN; ++i) acc += w[o][i] * x[i];
        y[o] = std::max(acc, 0.0f);
    }
}

static void dense2(const float x[HIDDEN], const float w[OUT][HIDDEN], const float b[OUT], float y[OUT])
{
    for (int o = 0; o < OUT; ++o) {
        float acc = b[o];
        for (int i = 0; i < HIDDEN; ++i) acc += w[o][i] * x[i];
        y[o] = std::tanh(acc);
    }
}

extern "C" {
void mlp(const float in[IN], const float w1[HIDDEN][IN], const float b1[HIDDEN],
         const float w2[OUT][HIDDEN], const float b2[OUT], float out[OUT])
{
#pragma HLS DATAFLOW
    float hidden[HIDDEN];
    dense1(in, w1, b1, hidden);
    dense2(hidden, w2, b2, out);
}
}
