/* run: fixed(int16_t a[16], int16_t b[16], int16_t out[16], int32_t dot[1]) */
#include <stdint.h>
#define FRAC 12
typedef int16_t fix_t;
#define TO_FIX(x) ((fix_t)((x) * (1 << FRAC)))

static fix_t mul(fix_t a, fix_t b)
{
    int32_t p = (int32_t)a * (int32_t)b;
    p += 1 << (FRAC - 1);
    return (fix_t)(p >> FRAC);
}

void fixed(fix_t a[16], fix_t b[16], fix_t out[16], int32_t *dot)
{
    int32_t acc = 0;
    for (int i = 0; i < 16; i++) {
        fix_t v = mul(a[i], b[i]);
        out[i] = v + TO_FIX(0.25);
        acc += v;
    }
    *dot = acc;
}
