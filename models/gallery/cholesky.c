/* Cholesky factorization of a symmetric positive definite matrix: A = L L^T. */
#include <math.h>

#define N 64

void cholesky(const float A[N][N], float L[N][N])
{
    for (int j = 0; j < N; j++) {
        float sum = 0;
        for (int k = 0; k < j; k++)
            sum += L[j][k] * L[j][k];
        L[j][j] = sqrtf(A[j][j] - sum);

        for (int i = j + 1; i < N; i++) {
            float dot = 0;
            for (int k = 0; k < j; k++)
                dot += L[i][k] * L[j][k];
            L[i][j] = (A[i][j] - dot) / L[j][j];
        }
    }
    for (int i = 0; i < N; i++)
        for (int j = i + 1; j < N; j++)
            L[i][j] = 0;
}
