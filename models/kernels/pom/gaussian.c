/* A separable Gaussian filter of seven taps as POM measures it. The first nest covers the columns
   that the second one reads. */

#ifndef N
#define N 4096
#endif
#define TAPS 7

void gaussian(float src[N][N][3], float kx[TAPS], float ky[TAPS], float conv[N - 6][N - 6][3])
{
    float rows[N - 6][N][3];

vertical:
    for (int q = 0; q < N - 6; q++)
        for (int w = 0; w < N; w++)
            for (int c = 0; c < 3; c++) {
                rows[q][w][c] = 0.0f;
                for (int r = 0; r < TAPS; r++)
                    rows[q][w][c] += src[q + r][w][c] * kx[r];
            }

horizontal:
    for (int q = 0; q < N - 6; q++)
        for (int w = 0; w < N - 6; w++)
            for (int c = 0; c < 3; c++) {
                conv[q][w][c] = 0.0f;
                for (int e = 0; e < TAPS; e++)
                    conv[q][w][c] += rows[q][w + e][c] * ky[e];
            }
}
