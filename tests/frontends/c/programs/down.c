/* run: down(int a[20], int b[20]) */
void down(int a[20], int b[20])
{
    for (int i = 19; i >= 0; i -= 3)
        a[i] = b[19 - i] * i;
    for (int i = 20; i > 0; i--)
        b[i - 1] += a[i - 1];
    for (unsigned i = 19; i >= 2; i -= 2)
        a[i] ^= 5;
    for (unsigned u = 0; u < 20u; u += 2)
        a[u] += (int)u;
}
