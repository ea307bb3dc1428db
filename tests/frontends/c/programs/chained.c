/* run: top(uint8_t x[8], int a[8], int b[8], int c[8], uint8_t y[16]) */
// Assignments whose values other assignments are, with operators of their own; pointers to structs.
typedef struct {
    unsigned char key[8], copy[16];
} state;

static void mix(unsigned char *into, unsigned char *key, unsigned char *copy) {
    unsigned char i = 8;
    while (i--) into[i] ^= (copy[i] = key[i]), copy[8 + i] = into[i];
}

void top(unsigned char x[8], int a[8], int b[8], int c[8], unsigned char y[16]) {
    state now, *at = &now;
    for (int i = 0; i < 8; i++) {
        at->key[i] = x[i] + i;
        a[i] -= b[i] = c[i] * 3;
        c[i] = b[i] += a[i] *= 2;
    }
    mix(x, at->key, at->copy);
    for (int i = 0; i < 16; i++) y[i] = at->copy[i];
}
