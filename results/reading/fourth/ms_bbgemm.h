#include <stdio.h>
#include <stdlib.h>
#include <inttypes.h>

// Define compute data type
#define TYPE int32_t
#define PRIt PRId32

// Algorithm Parameters
#define row_size 16
#define col_size 16
#define N row_size*col_size
#define block_size 4
#define NUMOFBLOCKS N/block_size/block_size

void bbgemm(TYPE m1[N], TYPE m2[N], TYPE prod[N]);

struct bench_args_t {
  TYPE m1[N];
  TYPE m2[N];
  TYPE prod[N];
};
