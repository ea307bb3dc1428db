/* Four second-order sections in a row (an eighth-order IIR filter), 1024 samples. */
#define SAMPLES 1024
#define SECTIONS 4

void biquad(const float x[SAMPLES], const float c[SECTIONS][5], float y[SAMPLES])
{
    float z1[SECTIONS], z2[SECTIONS];

    for (int s = 0; s < SECTIONS; s++) {
        z1[s] = 0;
        z2[s] = 0;
    }
    for (int n = 0; n < SAMPLES; n++) {
        float v = x[n];
        for (int s = 0; s < SECTIONS; s++) {
            float w = v - c[s][3] * z1[s] - c[s][4] * z2[s];
            v = c[s][0] * w + c[s][1] * z1[s] + c[s][2] * z2[s];
            z2[s] = z1[s];
            z1[s] = w;
        }
        y[n] = v;
    }
}
