#include <stdint.h>
/* one round of a byte cipher: substitution by a table, rows shifted, columns mixed */
#define F(x) ((uint8_t)(((x) << 1) ^ ((((x) >> 7) & 1) * 0x1b)))
static uint8_t sub(uint8_t x) {
  uint8_t r = x, i;
  for (i = 0; i < 4; i++) r ^= (uint8_t)((x << (i + 1)) | (x >> (7 - i)));
  return r ^ 0x63;
}
void cipher(uint8_t key[16], uint8_t buf[16]) {
  uint8_t tmp[16], round;
  register uint8_t i, a, b, c, d, e;
  for (round = 0; round < 3; round++) {
    for (i = 16; i--;) buf[i] = sub(buf[i]);
    for (i = 0; i < 16; i++) tmp[i] = buf[(i + 4 * (i % 4)) % 16];
    for (i = 0; i < 16; i += 4) {
      a = tmp[i]; b = tmp[i + 1]; c = tmp[i + 2]; d = tmp[i + 3];
      e = a ^ b ^ c ^ d;
      buf[i] = a ^ e ^ F(a ^ b);
      buf[i + 1] = b ^ e ^ F(b ^ c);
      buf[i + 2] = c ^ e ^ F(c ^ d);
      buf[i + 3] = d ^ e ^ F(d ^ a);
    }
    for (i = 0; i < 16; i++) buf[i] ^= key[i];
  }
}
