/* run: conv_clamped(uint8_t image[10][12], int16_t out[10][12]) */
#include <stdint.h>
#define H 10
#define W 12

static int clamp(int v, int low, int high)
{
    return v < low ? low : (v > high ? high : v);
}

void conv_clamped(const uint8_t image[H][W], int16_t out[H][W])
{
    static const int kernel[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
    for (int y = 0; y < H; ++y)
        for (int x = 0; x < W; ++x) {
            int sum = 0;
            for (int i = -1; i <= 1; ++i)
                for (int j = -1; j <= 1; ++j) {
                    int yy = clamp(y + i, 0, H - 1);
                    int xx = clamp(x + j, 0, W - 1);
                    sum += kernel[i + 1][j + 1] * image[yy][xx];
                }
            out[y][x] = (sum + 8) >> 4;
        }
}
