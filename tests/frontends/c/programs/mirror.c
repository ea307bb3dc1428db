/* run: mirror(uint8_t image[9][10], uint16_t out[9][10], int16_t sum[9]) */
#include <stdint.h>
#define H 9
#define W 10
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))

void mirror(const uint8_t image[H][W], uint16_t out[H][W], int16_t sum[H])
{
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
            uint16_t s = 0;
            for (int k = -2; k <= 2; k++) {
                int row = y + k;
                int col = x - k;
                if (row < 0)
                    row = -row;
                else if (row >= H) {
                    row = 2 * H - 2 - row;
                }
                if (col < 0) col = 0;
                if (col > W - 1) col = W - 1;
                s += image[row][x] + image[y][col];
            }
            out[y][x] = s;
        }
        int up = y;
        up -= 1;
        if (up < 0) up = 0;
        int v = image[y][0];
        if (v > 50) v = 50;
        sum[y] = image[up][CLAMP(y, 1, 4)] - v;
    }
}
