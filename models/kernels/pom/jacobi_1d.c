/* Jacobi's method on a line as POM measures it: both nests in the loop over time. */

#ifndef N
#define N 4096
#endif
#ifndef T
#define T 4096
#endif

void jacobi_1d(float A[N], float B[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N - 2; i++)
            S1: A[i + 1] = (B[i] + B[i + 1] + B[i + 2]) * 0.33333f;
        for (int i = 0; i < N - 2; i++)
            S2: B[i + 1] = (A[i] + A[i + 1] + A[i + 2]) * 0.33333f;
    }
}
