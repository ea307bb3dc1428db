/* A box filter of 3 x 3 in two passes as POM measures it. The first nest covers the rows that the
   second one reads. */

#ifndef N
#define N 4096
#endif

void blur(float in[N][N][3], float by[N - 2][N - 2][3])
{
    float bx[N][N - 2][3];

across:
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N - 2; j++)
            for (int c = 0; c < 3; c++)
                bx[i][j][c] = (in[i][j][c] + in[i][j + 1][c] + in[i][j + 2][c]) / 3.0f;

down:
    for (int i = 0; i < N - 2; i++)
        for (int j = 0; j < N - 2; j++)
            for (int c = 0; c < 3; c++)
                by[i][j][c] = (bx[i][j][c] + bx[i + 1][j][c] + bx[i + 2][j][c]) / 3.0f;
}
