/* PolyBench bicg at size medium: s = A1^T r and q = A2 p; the matrix comes as two inputs. */

#define M 390
#define N 410

void bicg(float A1[N][M], float A2[N][M], float r[N], float p[M], float s[M], float q[N])
{
gemv_transposed:
    for (int j = 0; j < M; j++) {
        s[j] = 0.0f;
        for (int i = 0; i < N; i++)
            s[j] += r[i] * A1[i][j];
    }

gemv:
    for (int i = 0; i < N; i++) {
        q[i] = 0.0f;
        for (int j = 0; j < M; j++)
            q[i] += A2[i][j] * p[j];
    }
}
