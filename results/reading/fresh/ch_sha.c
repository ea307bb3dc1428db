typedef unsigned char BYTE;
typedef unsigned int INT32;
/* SHA f()-functions */
#define f1(x, y, z) ((x & y) | (~x & z))
#define f2(x, y, z) (x ^ y ^ z)
#define f3(x, y, z) ((x & y) | (x & z) | (y & z))
#define f4(x, y, z) (x ^ y ^ z)
#define CONST1 0x5a827999L
#define CONST2 0x6ed9eba1L
#define CONST3 0x8f1bbcdcL
#define CONST4 0xca62c1d6L
#define ROT32(x, n) ((x << n) | (x >> (32 - n)))
#define FUNC(n, i)                                                   \
  temp = ROT32(A, 5) + f##n(B, C, D) + E + W[i] + CONST##n;          \
  E = D;                                                             \
  D = C;                                                             \
  C = ROT32(B, 30);                                                  \
  B = A;                                                             \
  A = temp

void sha_transform(INT32 sha_info_data[16], INT32 sha_info_digest[5]) {
  int i;
  INT32 temp, A, B, C, D, E, W[80];
  for (i = 0; i < 16; ++i) {
    W[i] = sha_info_data[i];
  }
  for (i = 16; i < 80; ++i) {
    W[i] = W[i - 3] ^ W[i - 8] ^ W[i - 14] ^ W[i - 16];
  }
  A = sha_info_digest[0];
  B = sha_info_digest[1];
  C = sha_info_digest[2];
  D = sha_info_digest[3];
  E = sha_info_digest[4];
  for (i = 0; i < 20; ++i) {
    FUNC(1, i);
  }
  for (i = 20; i < 40; ++i) {
    FUNC(2, i);
  }
  for (i = 40; i < 60; ++i) {
    FUNC(3, i);
  }
  for (i = 60; i < 80; ++i) {
    FUNC(4, i);
  }
  sha_info_digest[0] += A;
  sha_info_digest[1] += B;
  sha_info_digest[2] += C;
  sha_info_digest[3] += D;
  sha_info_digest[4] += E;
}
