/* Means of a point and its eight neighbours, in place, T times. */
#define T 64
#define N 64

void seidel(float A[N][N])
{
    for (int t = 0; t < T; t++)
        for (int i = 0; i < N - 2; i++)
            for (int j = 0; j < N - 2; j++)
                A[i + 1][j + 1] = (A[i][j] + A[i][j + 1] + A[i][j + 2]
                                   + A[i + 1][j] + A[i + 1][j + 1] + A[i + 1][j + 2]
                                   + A[i + 2][j] + A[i + 2][j + 1] + A[i + 2][j + 2]) / 9;
}
