#include <stdio.h>
#include <string.h>
#include "assert.h"
#define NX 12
#define NY 10
#define NZ 6
#define PAR 2
const float stepDivCap = 0.1f;

static void stencil_plane(const float up[NX * NY], const float mid[NX * NY], const float down[NX * NY],
                          const float *power, float out[NX * NY], float ce, float cw, float cn, float cs, float ct,
                          float cb, float cc) {
#pragma HLS INLINE off
ROW:
  for (int y = 0; y < NY; y++) {
  COL:
    for (int x = 0; x < NX; x++) {
#pragma HLS PIPELINE II=1
#pragma HLS UNROLL factor=PAR
      int c = x + y * NX;
      int w = (x == 0) ? c : c - 1;
      int e = (x == NX - 1) ? c : c + 1;
      int n = (y == 0) ? c : c - NX;
      int s = (y == NY - 1) ? c : c + NX;
      out[c] = cc * mid[c] + cw * mid[w] + ce * mid[e] + cs * mid[s] + cn * mid[n] + cb * down[c] + ct * up[c] +
               stepDivCap * power[c] + ct * 80.0f;
    }
  }
}

extern "C" {
void workload(float *tIn, float *pIn, float *tOut) {
#pragma HLS INTERFACE m_axi port=tIn offset=slave bundle=gmem0 depth=720
#pragma HLS INTERFACE m_axi port=pIn offset=slave bundle=gmem1 depth=720
#pragma HLS INTERFACE m_axi port=tOut offset=slave bundle=gmem2 depth=720
#pragma HLS INTERFACE s_axilite port=return bundle=control
  float planes[3][NX * NY];
#pragma HLS ARRAY_PARTITION variable=planes complete dim=1
  float pbuf[NX * NY], obuf[NX * NY];
  memcpy(planes[0], tIn, NX * NY * sizeof(float));
  memcpy(planes[1], tIn, NX * NY * sizeof(float));
  for (int z = 0; z < NZ; z++) {
    int next = (z == NZ - 1) ? z : z + 1;
    memcpy(planes[2], tIn + next * NX * NY, NX * NY * sizeof(float));
    memcpy(pbuf, pIn + z * NX * NY, NX * NY * sizeof(float));
    stencil_plane(planes[0], planes[1], planes[2], pbuf, obuf, 0.11f, 0.11f, 0.12f, 0.12f, 0.05f, 0.05f, 0.4f);
    memcpy(tOut + z * NX * NY, obuf, NX * NY * sizeof(float));
    memcpy(planes[0], planes[1], NX * NY * sizeof(float));
    memcpy(planes[1], planes[2], NX * NY * sizeof(float));
  }
}
}
