#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "support.h"
#define height_size 8
#define col_size 10
#define row_size 6
#define SIZE (row_size * col_size * height_size)
#define INDX(_row_size, _col_size, _i, _j, _k) ((_i) + _row_size * ((_j) + _col_size * (_k)))
#define TYPE int32_t
#define MIN(x, y) ((x) < (y) ? (x) : (y))

void stencil3d(TYPE C[2], TYPE orig[SIZE], TYPE sol[SIZE]);

struct bench_args_t {
  TYPE C[2];
  TYPE orig[SIZE];
  TYPE sol[SIZE];
};
