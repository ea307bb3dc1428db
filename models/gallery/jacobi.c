/* Heat in a plate: 20 steps of Jacobi's method, with the border held fixed. */
#define N 64
#define STEPS 20

void jacobi(float T[N][N])
{
    float next[N][N];

    for (int step = 0; step < STEPS; step++) {
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                next[i][j] = 0.25f * (T[i - 1][j] + T[i + 1][j] + T[i][j - 1] + T[i][j + 1]);
        for (int i = 1; i < N - 1; i++)
            for (int j = 1; j < N - 1; j++)
                T[i][j] = next[i][j];
    }
}
