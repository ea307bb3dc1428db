/* run: sobel(uint8_t in[12][14], uint8_t out[12][14]) */
#include <stdint.h>
#include <stdlib.h>
enum { ROWS = 12, COLS = 14 };

void sobel(const uint8_t in[ROWS][COLS], uint8_t out[ROWS][COLS])
{
    for (int r = 0; r < ROWS; r++)
        for (int c = 0; c < COLS; c++) {
            if (r == 0 || c == 0 || r == ROWS - 1 || c == COLS - 1) {
                out[r][c] = 0;
            } else {
                int gx = in[r - 1][c + 1] + 2 * in[r][c + 1] + in[r + 1][c + 1]
                         - in[r - 1][c - 1] - 2 * in[r][c - 1] - in[r + 1][c - 1];
                int gy = in[r + 1][c - 1] + 2 * in[r + 1][c] + in[r + 1][c + 1]
                         - in[r - 1][c - 1] - 2 * in[r - 1][c] - in[r - 1][c + 1];
                int mag = abs(gx) + abs(gy);
                out[r][c] = mag > 255 ? 255 : mag;
            }
        }
}
