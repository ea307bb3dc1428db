/* A picture of three colours, weighted by seven numbers down and then by seven across. */
#define N 256
#define TAPS 7

void gaussian(float src[N][N][3], float down[TAPS], float across[TAPS],
              float out[N - TAPS][N - TAPS][3])
{
    float sums[N - TAPS][N - 1][3];

    for (int i = 0; i < N - TAPS; i++)
        for (int j = 0; j < N - 1; j++)
            for (int c = 0; c < 3; c++)
                sums[i][j][c] = 0;
    for (int i = 0; i < N - TAPS; i++)
        for (int j = 0; j < N - 1; j++)
            for (int c = 0; c < 3; c++)
                for (int r = 0; r < TAPS; r++)
                    sums[i][j][c] += src[i + r][j][c] * down[r];
    for (int i = 0; i < N - TAPS; i++)
        for (int j = 0; j < N - TAPS; j++)
            for (int c = 0; c < 3; c++)
                out[i][j][c] = 0;
    for (int i = 0; i < N - TAPS; i++)
        for (int j = 0; j < N - TAPS; j++)
            for (int c = 0; c < 3; c++)
                for (int e = 0; e < TAPS; e++)
                    out[i][j][c] += sums[i][j + e][c] * across[e];
}
