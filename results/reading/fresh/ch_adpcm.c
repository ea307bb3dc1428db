/* band filters of an ADPCM coder: a transmit QMF and an adaptive zero section */
#define SIZE 20
const int h[24] = {12, -44, -44, 212, 48, -624, 128, 1448, -840, -3220, 3804, 15504,
                   15504, 3804, -3220, -840, 1448, 128, -624, 48, 212, -44, -44, 12};
int tqmf[24], xl, xh;
int delay_bpl[6], delay_dltx[6];

int filtez(int *bpl, int *dlt) {
  int i;
  long int zl;
  zl = (long)(*bpl++) * (*dlt++);
  for (i = 1; i < 6; i++) zl += (long)(*bpl++) * (*dlt++);
  return ((int)(zl >> 14)); /* x2 here */
}

void upzero(int dlt, int *dlti, int *bli) {
  int i, wd2, wd3;
  for (i = 0; i < 6; i++) {
    wd2 = dlti[i] * dlt >= 0 ? 128 : -128;
    wd3 = (int)((255L * bli[i]) >> 8L);
    bli[i] = wd2 + wd3;
  }
  dlti[5] = dlti[4];
  dlti[4] = dlti[3];
  dlti[3] = dlti[2];
  dlti[2] = dlti[1];
  dlti[1] = dlti[0];
  dlti[0] = dlt;
}

void encode(int test_data[2 * SIZE], int low[SIZE], int high[SIZE]) {
  int i, k;
  const int *h_ptr;
  int *tqmf_ptr, *tqmf_ptr1;
  long int xa, xb;
  for (i = 0; i < 24; i++) tqmf[i] = 0;
  for (i = 0; i < 6; i++) {
    delay_bpl[i] = 0;
    delay_dltx[i] = 0;
  }
  for (k = 0; k < SIZE; k++) {
    h_ptr = h;
    tqmf_ptr = tqmf;
    xa = (long)(*tqmf_ptr++) * (*h_ptr++);
    xb = (long)(*tqmf_ptr++) * (*h_ptr++);
    for (i = 0; i < 10; i++) {
      xa += (long)(*tqmf_ptr++) * (*h_ptr++);
      xb += (long)(*tqmf_ptr++) * (*h_ptr++);
    }
    xa += (long)(*tqmf_ptr++) * (*h_ptr++);
    xb += (long)(*tqmf_ptr) * (*h_ptr++);
    tqmf_ptr1 = tqmf_ptr - 2;
    for (i = 0; i < 22; i++) *tqmf_ptr-- = *tqmf_ptr1--;
    *tqmf_ptr-- = test_data[2 * k];
    *tqmf_ptr = test_data[2 * k + 1];
    xl = (xa + xb) >> 15;
    xh = (xa - xb) >> 15;
    low[k] = xl - filtez(delay_bpl, delay_dltx);
    high[k] = xh;
    upzero(xl, delay_dltx, delay_bpl);
  }
}
