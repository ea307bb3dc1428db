#include <stdint.h>

typedef struct {
  uint8_t key[32];
  uint8_t enckey[32];
  uint8_t deckey[32];
} aes256_context;

#define F(x)   (((x)<<1) ^ ((((x)>>7) & 1) * 0x1b))

static uint8_t rj_xtime(uint8_t x)
{
    return (x & 0x80) ? ((x << 1) ^ 0x1b) : (x << 1);
}

static void aes_addRoundKey(uint8_t *buf, uint8_t *key)
{
    register uint8_t i = 16;
    addkey : while (i--) buf[i] ^= key[i];
}

static void aes_shiftRows(uint8_t *buf)
{
    register uint8_t i, j;
    i = buf[1]; buf[1] = buf[5]; buf[5] = buf[9]; buf[9] = buf[13]; buf[13] = i;
    i = buf[10]; buf[10] = buf[2]; buf[2] = i;
    j = buf[3]; buf[3] = buf[15]; buf[15] = buf[11]; buf[11] = buf[7]; buf[7] = j;
    j = buf[14]; buf[14] = buf[6]; buf[6]  = j;
}

static void aes_mixColumns(uint8_t *buf)
{
    register uint8_t i, a, b, c, d, e;
    mix : for (i = 0; i < 16; i += 4)
    {
        a = buf[i]; b = buf[i + 1]; c = buf[i + 2]; d = buf[i + 3];
        e = a ^ b ^ c ^ d;
        buf[i] ^= e ^ rj_xtime(a^b);   buf[i+1] ^= e ^ rj_xtime(b^c);
        buf[i+2] ^= e ^ rj_xtime(c^d); buf[i+3] ^= e ^ rj_xtime(d^a);
    }
}

void aes_rounds(aes256_context *ctx, uint8_t k[32], uint8_t buf[16])
{
    uint8_t i;
    for (i = 0; i < sizeof(ctx->key); i++)
        ctx->enckey[i] = ctx->deckey[i] = k[i];
    aes_addRoundKey(buf, ctx->enckey);
    for (i = 1; i < 4; ++i) {
        aes_shiftRows(buf);
        aes_mixColumns(buf);
        if (i & 1) aes_addRoundKey(buf, &ctx->enckey[16]);
        else aes_addRoundKey(buf, ctx->enckey);
    }
}
