/* PolyBench mvt at size medium: x1 = A1 y1 and x2 = A2^T y2. The matrix comes as two inputs; the
   vectors start from zero. */

#define N 400

void mvt(float A1[N][N], float A2[N][N], float y1[N], float y2[N], float x1[N], float x2[N])
{
gemv:
    for (int i = 0; i < N; i++) {
        x1[i] = 0.0f;
        for (int j = 0; j < N; j++)
            x1[i] += A1[i][j] * y1[j];
    }

gemv_transposed:
    for (int i = 0; i < N; i++) {
        x2[i] = 0.0f;
        for (int j = 0; j < N; j++)
            x2[i] += A2[j][i] * y2[j];
    }
}
