#include <stdint.h>

typedef struct {
  uint8_t key[32];
  uint8_t enckey[32];
  uint8_t deckey[32];
} aes256_context;

#define F(x)   (((x)<<1) ^ ((((x)>>7) & 1) * 0x1b))

uint8_t rj_xtime(uint8_t x)
{
    return (x & 0x80) ? ((x << 1) ^ 0x1b) : (x << 1);
} /* rj_xtime */

void aes_addRoundKey(uint8_t *buf, uint8_t *key)
{
    register uint8_t i = 16;
    addkey : while (i--) buf[i] ^= key[i];
}

void aes_addRoundKey_cpy(uint8_t *buf, uint8_t *key, uint8_t *cpk)
{
    register uint8_t i = 16;
    cpkey : while (i--)  buf[i] ^= (cpk[i] = key[i]), cpk[16+i] = key[16 + i];
}

void aes_shiftRows(uint8_t *buf)
{
    register uint8_t i, j; /* to make it potentially parallelable :) */

    i = buf[1], buf[1] = buf[5], buf[5] = buf[9], buf[9] = buf[13], buf[13] = i;
    i = buf[10], buf[10] = buf[2], buf[2] = i;
    j = buf[3], buf[3] = buf[15], buf[15] = buf[11], buf[11] = buf[7], buf[7] = j;
    j = buf[14], buf[14] = buf[6], buf[6]  = j;
}

void aes_mix(uint8_t k[32], uint8_t buf[16])
{
    aes256_context context, *ctx = &context;
    uint8_t rcon = 1;
    uint8_t i;

    ecb1 : for (i = 0; i < sizeof(ctx->key); i++){
        ctx->enckey[i] = ctx->deckey[i] = k[i];
    }
    aes_addRoundKey_cpy(buf, ctx->enckey, ctx->key);
    ecb2 : for (i = 1, rcon = 1; i < 4; ++i)
    {
        aes_shiftRows(buf);
        ctx->key[0] ^= rcon;
        rcon = F(rcon);
        if (i & 1) aes_addRoundKey(buf, &ctx->key[16]);
        else { aes_addRoundKey(buf, ctx->key); buf[0] = rj_xtime(buf[0]); }
    }
}
