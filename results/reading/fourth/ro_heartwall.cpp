#include <math.h>
#define fp float
#define IN_MOD_ROWS 5
#define IN_MOD_COLS 4
#define IN_ROWS 6
#define IN_COLS 6

typedef struct public_struct {
  int in_mod_rows, in_mod_cols, in_mod_elem;
  int conv_rows, conv_cols, conv_elem;
  int ioffset, joffset;
} params_common;

void kernel(params_common d_common, fp *d_in_mod, fp *d_in, fp *d_conv) {
  int col, row, i, j, ip1, jp1, ia1, ia2, ja1, ja2, ja, jb, ia, ib;
  fp s;
  for (col = 1; col <= d_common.conv_cols; col++) {
    // column setup
    j = col + d_common.joffset;
    jp1 = j + 1;
    if (IN_COLS < jp1) {
      ja1 = jp1 - IN_COLS;
    }
    else {
      ja1 = 1;
    }
    if (d_common.in_mod_cols < j) {
      ja2 = d_common.in_mod_cols;
    }
    else {
      ja2 = j;
    }
    for (row = 1; row <= d_common.conv_rows; row++) {
      // row range setup
      i = row + d_common.ioffset;
      ip1 = i + 1;
      if (IN_ROWS < ip1) {
        ia1 = ip1 - IN_ROWS;
      }
      else {
        ia1 = 1;
      }
      if (d_common.in_mod_rows < i) {
        ia2 = d_common.in_mod_rows;
      }
      else {
        ia2 = i;
      }
      s = 0;
      // getting data
      for (ja = ja1; ja <= ja2; ja++) {
        jb = jp1 - ja;
        for (ia = ia1; ia <= ia2; ia++) {
          ib = ip1 - ia;
          s = s + d_in_mod[d_common.in_mod_rows * (ja - 1) + ia - 1] * d_in[IN_ROWS * (jb - 1) + ib - 1];
        }
      }
      d_conv[d_common.conv_rows * (col - 1) + (row - 1)] = s;
    }
  }
}

extern "C" void workload(fp in_mod[IN_MOD_ROWS * IN_MOD_COLS], fp in[IN_ROWS * IN_COLS],
                         fp conv[(IN_MOD_ROWS + IN_ROWS - 1) * (IN_MOD_COLS + IN_COLS - 1)]) {
#pragma HLS INTERFACE m_axi port=in_mod offset=slave bundle=gmem
  params_common common;
  common.in_mod_rows = IN_MOD_ROWS;
  common.in_mod_cols = IN_MOD_COLS;
  common.in_mod_elem = common.in_mod_rows * common.in_mod_cols;
  common.conv_rows = common.in_mod_rows + IN_ROWS - 1;
  common.conv_cols = common.in_mod_cols + IN_COLS - 1;
  common.conv_elem = common.conv_rows * common.conv_cols;
  common.ioffset = 0;
  common.joffset = 0;
  kernel(common, in_mod, in, conv);
}
