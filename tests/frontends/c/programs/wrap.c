/* run: wrap(int a[12], int b[12]) */
#define N 12
void wrap(int a[N], int b[N])
{
    for (int i = 0; i < N; i++)
        b[i] = a[(i + 1) % N] - a[(i + N - 1) % N] + a[i == 0 ? 0 : i - 1];
}
