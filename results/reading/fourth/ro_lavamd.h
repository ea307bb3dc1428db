#ifndef LAVAMD_H
#define LAVAMD_H
#include <math.h>
#include <string.h>
#include <inttypes.h>
#define TYPE double
#define NUMBER_PAR_PER_BOX 3
#define DIMENSION_1D 2
#define DIMENSION_PADDED (DIMENSION_1D + 2)
#define POS_DIM 4
#define N (DIMENSION_1D * DIMENSION_1D * DIMENSION_1D * NUMBER_PAR_PER_BOX)
#define N_PADDED (DIMENSION_PADDED * DIMENSION_PADDED * DIMENSION_PADDED * NUMBER_PAR_PER_BOX)
#define ALPHA 0.5
#define V 0
#define X 1
#define Y 2
#define Z 3
#define DOT(A,B) ((A[X])*(B[X])+(A[Y])*(B[Y])+(A[Z])*(B[Z]))
struct bench_args_t {
  TYPE pos_i[N_PADDED * POS_DIM];
  TYPE q_i[N_PADDED];
  TYPE pos_o[N * POS_DIM];
};
#endif
