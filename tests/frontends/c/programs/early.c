/* run: early(int a[16], int n) */
static int pick(int v)
{
    if (v < 10) return 1;
    if (v < 50) { return v / 2; }
    else if (v > 90) return -v;
    return 0;
}
void early(int a[16], int n)
{
    for (int i = 0; i < 16; i++) a[i] = pick(a[i]) + pick(i) + n;
    if (n > 3) return;
    for (int i = 0; i < 16; i++) a[i] += 2;
}
