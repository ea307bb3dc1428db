/* PolyBench gesummv at size medium: y = 1.5 A x + 1.2 B x. */

#define N 250

void gesummv(float A[N][N], float B[N][N], float x[N], float y[N])
{
    float Ax[N], Bx[N];

gemv1:
    for (int i = 0; i < N; i++) {
        Ax[i] = 0.0f;
        for (int j = 0; j < N; j++)
            Ax[i] += A[i][j] * x[j];
    }

gemv2:
    for (int i = 0; i < N; i++) {
        Bx[i] = 0.0f;
        for (int j = 0; j < N; j++)
            Bx[i] += B[i][j] * x[j];
    }

scale_add:
    for (int i = 0; i < N; i++)
        y[i] = 1.5f * Ax[i] + 1.2f * Bx[i];
}
