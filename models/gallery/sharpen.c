/* A camera's image pipeline: grey values, a separable blur, unsharp masking, a threshold. */
#include <stdint.h>

#define H 240
#define W 320

void sharpen(const uint8_t rgb[H][W][3], uint8_t edges[H - 4][W - 4])
{
    int16_t gray[H][W], rows[H][W - 4], blurred[H - 4][W - 4];

to_gray:
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
            gray[y][x] = (77 * rgb[y][x][0] + 150 * rgb[y][x][1] + 29 * rgb[y][x][2]) >> 8;

blur_rows:
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W - 4; x++)
            rows[y][x] = (gray[y][x] + 4 * gray[y][x + 1] + 6 * gray[y][x + 2]
                          + 4 * gray[y][x + 3] + gray[y][x + 4]) >> 4;

blur_columns:
    for (int y = 0; y < H - 4; y++)
        for (int x = 0; x < W - 4; x++)
            blurred[y][x] = (rows[y][x] + 4 * rows[y + 1][x] + 6 * rows[y + 2][x]
                             + 4 * rows[y + 3][x] + rows[y + 4][x]) >> 4;

mask:
    for (int y = 0; y < H - 4; y++)
        for (int x = 0; x < W - 4; x++)
            edges[y][x] = 2 * (gray[y + 2][x + 2] - blurred[y][x]) > 16 ? 255 : 0;
}
