#include <stdint.h>

void layer(int8_t x[32][64], int8_t w[64][48], int32_t b[48], int32_t y[32][48]) {
    int32_t h[32][48];
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 48; j++) {
            h[i][j] = 0;
            for (int k = 0; k < 64; k++)
                h[i][j] += x[i][k] * w[k][j];
        }
    for (int i = 0; i < 32; i++)
        for (int j = 0; j < 48; j++)
            y[i][j] = h[i][j] + b[j] > 0 ? h[i][j] + b[j] : 0;
}
