/* Means of three neighbours, from one array to the other and back, T times. */
#define T 256
#define N 256

void jacobi_1d(float A[N], float B[N])
{
    for (int t = 0; t < T; t++) {
        for (int i = 0; i < N - 2; i++)
            A[i + 1] = (B[i] + B[i + 1] + B[i + 2]) * 0.33333f;
        for (int i = 0; i < N - 2; i++)
            B[i + 1] = (A[i] + A[i + 1] + A[i + 2]) * 0.33333f;
    }
}
