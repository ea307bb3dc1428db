/* run: dct(int16_t block[3][8][8], int16_t out[3][8][8]) */
#include <stdint.h>
#define BLOCKS 3
#define N 8
#define SHIFT 13
static const int32_t C[N][N] = {
    {2896, 2896, 2896, 2896, 2896, 2896, 2896, 2896},
    {4017, 3406, 2276, 799, -799, -2276, -3406, -4017},
    {3784, 1567, -1567, -3784, -3784, -1567, 1567, 3784},
    {3406, -799, -4017, -2276, 2276, 4017, 799, -3406},
    {2896, -2896, -2896, 2896, 2896, -2896, -2896, 2896},
    {2276, -4017, 799, 3406, -3406, -799, 4017, -2276},
    {1567, -3784, 3784, -1567, -1567, 3784, -3784, 1567},
    {799, -2276, 3406, -4017, 4017, -3406, 2276, -799}};

void dct(const int16_t block[BLOCKS][N][N], int16_t out[BLOCKS][N][N])
{
    for (int b = 0; b < BLOCKS; b++) {
        int32_t tmp[N][N];
        for (int u = 0; u < N; u++)
            for (int y = 0; y < N; y++) {
                int32_t s = 1 << (SHIFT - 1);
                for (int x = 0; x < N; x++) s += C[u][x] * block[b][y][x];
                tmp[y][u] = s >> SHIFT;
            }
        for (int v = 0; v < N; v++)
            for (int u = 0; u < N; u++) {
                int32_t s = 1 << (SHIFT - 1);
                for (int y = 0; y < N; y++) s += C[v][y] * tmp[y][u];
                out[b][v][u] = (int16_t)(s >> SHIFT);
            }
    }
}
