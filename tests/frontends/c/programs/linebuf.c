/* run: linebuf(uint8_t in[10][12], uint8_t out[10][12]) */
#include <stdint.h>
#define H 10
#define W 12
void linebuf(uint8_t in[H][W], uint8_t out[H][W])
{
    uint8_t line[2][W];
    uint8_t win[3][3];
#pragma HLS ARRAY_PARTITION variable=win complete dim=0
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++) {
            for (int i = 0; i < 3; i++) {
                win[i][0] = win[i][1];
                win[i][1] = win[i][2];
            }
            win[0][2] = line[0][x];
            win[1][2] = line[1][x];
            win[2][2] = in[y][x];
            line[0][x] = line[1][x];
            line[1][x] = in[y][x];
            if (y >= 2 && x >= 2) {
                int s = 0;
                for (int i = 0; i < 3; i++)
                    for (int j = 0; j < 3; j++) s += win[i][j];
                out[y][x] = s / 9;
            } else
                out[y][x] = 0;
        }
}
