/* run: blocked(double A[20][18], double B[18][22], double C[20][22]) */
#define N 20
#define M 22
#define K 18
#define T 8
#define MIN(a, b) (((a) < (b)) ? (a) : (b))

void blocked(double A[N][K], double B[K][M], double C[N][M])
{
    int i, j, k, ii, jj, kk;
    for (ii = 0; ii < N; ii += T)
        for (jj = 0; jj < M; jj += T)
            for (kk = 0; kk < K; kk += T)
                for (i = ii; i < MIN(ii + T, N); i++)
                    for (j = jj; j < MIN(jj + T, M); j++)
                        for (k = kk; k < MIN(kk + T, K); k++)
                            C[i][j] += A[i][k] * B[k][j];
}
