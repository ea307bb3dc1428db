#include "ro_lavamd.h"

extern "C" {
void workload(TYPE pos_i[N_PADDED * POS_DIM], TYPE q_i[N_PADDED], TYPE pos_o[N * POS_DIM]) {
  #pragma HLS INTERFACE m_axi port=pos_i offset=slave bundle=gmem
  #pragma HLS INTERFACE m_axi port=q_i offset=slave bundle=gmem
  #pragma HLS INTERFACE m_axi port=pos_o offset=slave bundle=gmem
  #pragma HLS INTERFACE s_axilite port=return bundle=control

  const TYPE a2 = 2 * ALPHA * ALPHA;

  // process home boxes
  for (int l = 0; l < DIMENSION_1D; l++) {
  for (int j = 0; j < DIMENSION_1D; j++) {
  for (int k = 0; k < DIMENSION_1D; k++) {
    int home_out = ((l * DIMENSION_1D + j) * DIMENSION_1D + k) * NUMBER_PAR_PER_BOX;
    int home_in = (((l + 1) * DIMENSION_PADDED + j + 1) * DIMENSION_PADDED + k + 1) * NUMBER_PAR_PER_BOX;

    for (int i = 0; i < NUMBER_PAR_PER_BOX; i++) {
      TYPE fv = 0, fx = 0, fy = 0, fz = 0;
      // do for the # of (home+neighbor) boxes
      for (int dl = -1; dl <= 1; dl++) {
      for (int dj = -1; dj <= 1; dj++) {
      for (int dk = -1; dk <= 1; dk++) {
        int base = (((l + 1 + dl) * DIMENSION_PADDED + (j + 1 + dj)) * DIMENSION_PADDED + (k + 1 + dk)) * NUMBER_PAR_PER_BOX;
        for (int p = 0; p < NUMBER_PAR_PER_BOX; p++) {
          #pragma HLS pipeline II=1
          TYPE q = q_i[base + p];
          if (q != 0.0) {
            const TYPE *a = &pos_i[(home_in + i) * POS_DIM], *b = &pos_i[(base + p) * POS_DIM];
            TYPE r2 = a[V] + b[V] - DOT(a, b);
            TYPE u2 = a2 * r2;
            TYPE vij = exp(-u2);
            TYPE fs = 2 * vij;
            TYPE dx = a[X] - b[X];
            TYPE dy = a[Y] - b[Y];
            TYPE dz = a[Z] - b[Z];
            fv += q * vij;
            fx += q * (fs * dx);
            fy += q * (fs * dy);
            fz += q * (fs * dz);
          }
        }
      }}}
      pos_o[(home_out + i) * POS_DIM + V] = fv;
      pos_o[(home_out + i) * POS_DIM + X] = fx;
      pos_o[(home_out + i) * POS_DIM + Y] = fy;
      pos_o[(home_out + i) * POS_DIM + Z] = fz;
    }
  }}}
  return;
}
}
