typedef short word;
typedef long longword;
#define MIN_WORD ((-32767) - 1)
#define MAX_WORD (32767)
#define SASR(x, by) ((x) >> (by))
#define GSM_MULT_R(a, b) gsm_mult_r(a, b)
#define NSAMPLES 40

word gsm_add(word a, word b) {
  longword sum;
  sum = (longword)a + (longword)b;
  return sum < MIN_WORD ? MIN_WORD : sum > MAX_WORD ? MAX_WORD : sum;
}
word gsm_mult_r(word a, word b) {
  longword prod;
  if (b == MIN_WORD && a == MIN_WORD)
    return MAX_WORD;
  else {
    prod = (longword)a * (longword)b + 16384;
    prod >>= 15;
    return prod & 0xFFFF;
  }
}
word gsm_abs(word a) { return a < 0 ? (a == MIN_WORD ? MAX_WORD : -a) : a; }

void Autocorrelation(word s[NSAMPLES], longword L_ACF[9], word r[NSAMPLES]) {
  int k, i;
  word smax = 0;
  for (k = 0; k <= NSAMPLES - 1; k++) {
    word temp = gsm_abs(s[k]);
    if (temp > smax) smax = temp;
  }
  for (k = 0; k <= NSAMPLES - 1; k++) r[k] = gsm_add(GSM_MULT_R(s[k], 8192), smax >> 4);
  word *sp = r;
  word sl = *sp;
#define STEP(k) L_ACF[k] += ((longword)sl * sp[-(k)]);
#define NEXTI sl = *++sp
  for (k = 8; k >= 0; k--) L_ACF[k] = 0;
  STEP(0);
  NEXTI;
  STEP(0);
  STEP(1);
  NEXTI;
  STEP(0);
  STEP(1);
  STEP(2);
  NEXTI;
  STEP(0); STEP(1); STEP(2); STEP(3);
  NEXTI;
  STEP(0); STEP(1); STEP(2); STEP(3); STEP(4);
  NEXTI;
  STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5);
  NEXTI;
  STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5); STEP(6);
  NEXTI;
  STEP(0); STEP(1); STEP(2); STEP(3); STEP(4); STEP(5); STEP(6); STEP(7);
  for (i = 8; i <= NSAMPLES - 1; i++) {
    NEXTI;
    STEP(0);
    STEP(1);
    STEP(2);
    STEP(3);
    STEP(4);
    STEP(5);
    STEP(6);
    STEP(7);
    STEP(8);
  }
  for (k = 8; k >= 0; k--) L_ACF[k] <<= 1;
}
