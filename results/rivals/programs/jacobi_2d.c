/* Means of a point and its four neighbours, from one array to the other and back, T times. */
#define T 64
#define N 64

void jacobi_2d(float A[N][N], float B[N][N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                B[i + 1][j + 1] = 0.2f * (A[i + 1][j + 1] + A[i + 1][j] + A[i + 1][j + 2]
                                          + A[i + 2][j + 1] + A[i][j + 1]);
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                A[i + 1][j + 1] = 0.2f * (B[i + 1][j + 1] + B[i + 1][j] + B[i + 1][j + 2]
                                          + B[i + 2][j + 1] + B[i][j + 1]);
    }
}
