/* Heat on a line as POM measures it. */

#ifndef N
#define N 4096
#endif
#ifndef T
#define T 4096
#endif

void heat_1d(float A[N], float B[N])
{
    for (int k = 0; k < T; k++) {
        for (int i = 0; i < N - 2; i++)
            S1: A[i + 1] = 0.125f * (B[i] - 2.0f * B[i + 1] + B[i + 2]);
        for (int i = 0; i < N - 2; i++)
            S2: B[i + 1] = A[i + 1];
    }
}
