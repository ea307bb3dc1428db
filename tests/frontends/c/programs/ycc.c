/* run: ycc(uint8_t rgb[8][6][3], uint8_t ycc_[8][6][3]) */
#include <stdint.h>
static uint8_t clip(int v) { return v < 0 ? 0 : v > 255 ? 255 : (uint8_t)v; }

void ycc(const uint8_t rgb[8][6][3], uint8_t ycc_[8][6][3])
{
    for (int y = 0; y < 8; y++)
        for (int x = 0; x < 6; x++) {
            const int r = rgb[y][x][0], g = rgb[y][x][1], b = rgb[y][x][2];
            ycc_[y][x][0] = clip((66 * r + 129 * g + 25 * b + 128 >> 8) + 16);
            ycc_[y][x][1] = clip(((-38 * r - 74 * g + 112 * b + 128) >> 8) + 128);
            ycc_[y][x][2] = clip(((112 * r - 94 * g - 18 * b + 128) >> 8) + 128);
        }
}
