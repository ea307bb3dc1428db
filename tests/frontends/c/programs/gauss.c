/* run: gauss(uint8_t src[12][14], uint8_t dst[12][14]) */
#include <stdint.h>
#define H 12
#define W 14
static const uint8_t taps[5] = {1, 4, 6, 4, 1};

void gauss(uint8_t src[H][W], uint8_t dst[H][W])
{
    static uint16_t tmp[H][W];
    for (int y = 0; y < H; y++)
        for (int x = 2; x < W - 2; x++) {
            uint16_t s = 0;
            for (int k = 0; k < 5; k++)
                s += taps[k] * src[y][x + k - 2];
            tmp[y][x] = s;
        }
    for (int y = 2; y < H - 2; y++)
        for (int x = 2; x < W - 2; x++) {
            uint32_t s = 0;
            for (int k = 0; k < 5; k++)
                s += (uint32_t)taps[k] * tmp[y + k - 2][x];
            dst[y][x] = (uint8_t)((s + 128) >> 8);
        }
}
