/* steps of AES that look nothing up: shifting rows, mixing columns, adding the key */
#include <stdint.h>
#define rj_xtime(x) (uint8_t)(((x) << 1) ^ ((((x) >> 7) & 1) * 0x1b))

static void addRoundKey(uint8_t *buf, const uint8_t *key) {
  register uint8_t i = 16;
addkey:
  while (i--)
    buf[i] ^= key[i];
}
static void shiftRows(uint8_t *buf) {
  register uint8_t i, j;
  i = buf[1]; buf[1] = buf[5]; buf[5] = buf[9]; buf[9] = buf[13]; buf[13] = i;
  i = buf[10]; buf[10] = buf[2]; buf[2] = i;
  j = buf[3]; buf[3] = buf[15]; buf[15] = buf[11]; buf[11] = buf[7]; buf[7] = j;
  j = buf[14]; buf[14] = buf[6]; buf[6] = j;
}
static void mixColumns(uint8_t *buf) {
  register uint8_t i, a, b, c, d, e;
mix:
  for (i = 0; i < 16; i += 4) {
    a = buf[i];
    b = buf[i + 1];
    c = buf[i + 2];
    d = buf[i + 3];
    e = a ^ b ^ c ^ d;
    buf[i] ^= e ^ rj_xtime(a ^ b);
    buf[i + 1] ^= e ^ rj_xtime(b ^ c);
    buf[i + 2] ^= e ^ rj_xtime(c ^ d);
    buf[i + 3] ^= e ^ rj_xtime(d ^ a);
  }
}
void rounds(uint8_t key[10 * 16], uint8_t buf[16]) {
  uint8_t i;
  addRoundKey(buf, key);
ecb:
  for (i = 1; i < 10; ++i) {
    shiftRows(buf);
    mixColumns(buf);
    addRoundKey(buf, &key[i * 16]);
  }
}
