/* Jacobi's method on a square as POM measures it: both nests in the loop over time. */

#ifndef N
#define N 4096
#endif
#ifndef T
#define T 4096
#endif

void jacobi_2d(float A[N][N], float B[N][N])
{
    for (int k = 0; k < T; k++) {
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                S1: B[i + 1][j + 1] = 0.2f * (A[i + 1][j + 1] + A[i + 1][j] + A[i + 1][j + 2]
                                              + A[i + 2][j + 1] + A[i][j + 1]);
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                S2: A[i + 1][j + 1] = 0.2f * (B[i + 1][j + 1] + B[i + 1][j] + B[i + 1][j + 2]
                                              + B[i + 2][j + 1] + B[i][j + 1]);
    }
}
