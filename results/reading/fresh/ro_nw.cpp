#include <ap_int.h>
#include "string.h"
#define LEN 16
#define JOBS 3
#define MATCH 1
#define MISMATCH -1
#define GAP -1
typedef ap_int<10> score_t;

static score_t maximum(score_t a, score_t b, score_t c) {
#pragma HLS INLINE
  score_t m = a >= b ? a : b;
  return m >= c ? m : c;
}

void align(const char a[LEN], const char b[LEN], int *score) {
  score_t M[2][LEN + 1];
#pragma HLS ARRAY_PARTITION variable=M complete dim=0
init:
  for (int j = 0; j <= LEN; j++) M[0][j] = GAP * j;
rows:
  for (int i = 1; i <= LEN; i++) {
    const int cur = i & 1, prev = cur ^ 1;
    M[cur][0] = GAP * i;
  cols:
    for (int j = 1; j <= LEN; j++) {
#pragma HLS PIPELINE
      score_t diag = M[prev][j - 1] + (a[i - 1] == b[j - 1] ? MATCH : MISMATCH);
      M[cur][j] = maximum(diag, M[prev][j] + GAP, M[cur][j - 1] + GAP);
    }
  }
  *score = M[LEN & 1][LEN];
}

extern "C" void workload(char *SEQA, char *SEQB, int *scores) {
#pragma HLS INTERFACE m_axi port=SEQA offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=SEQB offset=slave bundle=gmem
#pragma HLS INTERFACE m_axi port=scores offset=slave bundle=gmem
  char a[LEN], b[LEN];
jobs:
  for (int n = 0; n < JOBS; n++) {
    memcpy(a, SEQA + n * LEN, LEN);
    memcpy(b, SEQB + n * LEN, LEN);
    align(a, b, &scores[n]);
  }
}
