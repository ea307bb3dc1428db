#ifndef __DCT_H__
#define __DCT_H__
#define DW 16
#define N 64
#define DCT_SIZE 8
#define CONST_BITS 13
#define DESCALE(x, n) (((x) + (1 << ((n)-1))) >> n)
typedef short dct_data_t;
void dct(short input[N], short output[N]);
#endif
