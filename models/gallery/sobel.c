/* Edges of a grayscale image: Sobel's two 3x3 kernels, |gx| + |gy|, saturated. */
#include <stdint.h>

#define HEIGHT 240
#define WIDTH 320

static int clamp(int v) { return v > 255 ? 255 : v; }
static int magnitude(int v) { return v < 0 ? -v : v; }

void sobel(const uint8_t in[HEIGHT][WIDTH], uint8_t out[HEIGHT - 2][WIDTH - 2])
{
    static const int kx[3][3] = {{-1, 0, 1}, {-2, 0, 2}, {-1, 0, 1}};
    static const int ky[3][3] = {{-1, -2, -1}, {0, 0, 0}, {1, 2, 1}};

    for (int y = 0; y < HEIGHT - 2; y++)
        for (int x = 0; x < WIDTH - 2; x++) {
            int gx = 0, gy = 0;
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++) {
                    gx += kx[i][j] * in[y + i][x + j];
                    gy += ky[i][j] * in[y + i][x + j];
                }
            out[y][x] = clamp(magnitude(gx) + magnitude(gy));
        }
}
