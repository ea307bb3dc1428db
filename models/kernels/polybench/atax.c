/* PolyBench atax at size medium: y = A^T (A x). */

#define M 390
#define N 410

void atax(float A[M][N], float x[N], float y[N])
{
    float tmp[M];

gemv:
    for (int i = 0; i < M; i++) {
        tmp[i] = 0.0f;
        for (int j = 0; j < N; j++)
            tmp[i] += A[i][j] * x[j];
    }

gemv_transposed:
    for (int j = 0; j < N; j++) {
        y[j] = 0.0f;
        for (int i = 0; i < M; i++)
            y[j] += A[i][j] * tmp[i];
    }
}
