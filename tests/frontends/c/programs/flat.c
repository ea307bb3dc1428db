/* run: flat(float a[48], float b[80], float c[60]) */
#define N 6
#define K 8
#define M 10
void flat(const float *a, const float *b, float *c)
{
    for (int i = 0; i < N; i++)
        for (int j = 0; j < M; j++) {
            float s = 0;
            for (int k = 0; k < K; k++)
                s += a[i * K + k] * b[k * M + j];
            c[i * M + j] = s;
        }
}
