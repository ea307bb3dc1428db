/* How heat spreads along a rod, T times. */
#define T 256
#define N 256

void heat_1d(float A[N], float B[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N - 2; i++)
            A[i + 1] = 0.125f * (B[i] - 2.0f * B[i + 1] + B[i + 2]);
        for (int i = 0; i < N - 2; i++)
            B[i + 1] = A[i + 1];
    }
}
