/* run: macros(float x[16], float y[16]) */
#define SQ(v) ((v) * (v))
#define SWAP(t, a, b) do { t tmp_ = (a); (a) = (b); (b) = tmp_; } while (0)
#define FOR(i, n) for (int i = 0; i < (n); i++)
#define CAT(a, b) a##b
#define AXPY(dst, s, src, n) \
    do {                     \
        FOR (q, n)           \
            dst[q] += (s) * src[q]; \
    } while (0)
void macros(float x[16], float y[16])
{
    float CAT(al, pha) = 0.5f;
    FOR (i, 8)
        SWAP(float, x[i], x[15 - i]);
    AXPY(y, alpha, x, 16);
    FOR (i, 16) { y[i] = SQ(y[i] + 1); }
    do y[0] = 1; while (0);
}
