/* Gauss and Seidel's method on a square as POM measures it, in place. */

#ifndef N
#define N 4096
#endif
#ifndef T
#define T 4096
#endif

void seidel_2d(float A[N][N])
{
    for (int k = 0; k < T; k++)
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                S1: A[i + 1][j + 1] = (A[i][j] + A[i][j + 1] + A[i][j + 2]
                                       + A[i + 1][j] + A[i + 1][j + 1] + A[i + 1][j + 2]
                                       + A[i + 2][j] + A[i + 2][j + 1] + A[i + 2][j + 2]) / 9.0f;
}
