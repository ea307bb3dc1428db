/* Edges of a picture of three colours: the mean of the eight neighbours, then differences. */
#define N 256

void edge_detect(float src[N][N][3], float out[N - 4][N - 4][3])
{
    float mean[N - 2][N - 2][3];

    for (int i = 0; i < N - 2; i++)
        for (int j = 0; j < N - 2; j++)
            for (int c = 0; c < 3; c++)
                mean[i][j][c] = (src[i][j][c] + src[i][j + 1][c] + src[i][j + 2][c]
                                 + src[i + 1][j][c] + src[i + 1][j + 2][c] + src[i + 2][j][c]
                                 + src[i + 2][j + 1][c] + src[i + 2][j + 2][c]) / 8;
    for (int i = 0; i < N - 4; i++)
        for (int j = 0; j < N - 4; j++)
            for (int c = 0; c < 3; c++)
                out[i][j][c] = mean[i + 1][j + 1][c] - mean[i + 2][j][c]
                               + mean[i + 2][j + 1][c] - mean[i + 1][j][c];
}
