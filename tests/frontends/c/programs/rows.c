/* run: rows(float A[7][9], float x[9], float y[7]) */
#define N 9
static float dot(const float *restrict u, const float *restrict v)
{
    float s = 0;
    for (int i = 0; i < N; i++) s += u[i] * v[i];
    return s;
}
void rows(float (*A)[N], float *restrict x, float *restrict y)
{
    for (int i = 0; i < 7; i++)
        y[i] = dot(A[i], x);
}
