/* A picture of three colours: the mean of three pixels across, then of three down. */
#define N 256

void blur(float src[N][N][3], float out[N - 2][N - 2][3])
{
    float across[N][N - 2][3];

    for (int i = 0; i < N; i++)
        for (int j = 0; j < N - 2; j++)
            for (int c = 0; c < 3; c++)
                across[i][j][c] = (src[i][j][c] + src[i][j + 1][c] + src[i][j + 2][c]) / 3;
    for (int i = 0; i < N - 2; i++)
        for (int j = 0; j < N - 2; j++)
            for (int c = 0; c < 3; c++)
                out[i][j][c] = (across[i][j][c] + across[i + 1][j][c] + across[i + 2][j][c]) / 3;
}
