#include <stdlib.h>
#include <stdio.h>
#define ALEN 24
#define BLEN 24
#define MATCH_SCORE 1
#define MISMATCH_SCORE -1
#define GAP_SCORE -1
#define ALIGN '\\'
#define SKIPA '^'
#define SKIPB '<'
#define MAX(A,B) ( ((A)>(B))?(A):(B) )

void needwun_fill(char SEQA[ALEN], char SEQB[BLEN], int M[(ALEN+1)*(BLEN+1)], char ptr[(ALEN+1)*(BLEN+1)]) {
    int score, up_left, up, left, max;
    int row, row_up;
    int a_idx, b_idx;

    init_row: for(a_idx=0; a_idx<(ALEN+1); a_idx++){
        M[a_idx] = a_idx * GAP_SCORE;
        ptr[a_idx] = SKIPB;
    }
    init_col: for(b_idx=0; b_idx<(BLEN+1); b_idx++){
        M[b_idx*(ALEN+1)] = b_idx * GAP_SCORE;
        ptr[b_idx*(ALEN+1)] = SKIPA;
    }

    // Matrix filling loop
    fill_out: for(b_idx=1; b_idx<(BLEN+1); b_idx++){
        fill_in: for(a_idx=1; a_idx<(ALEN+1); a_idx++){
            if(SEQA[a_idx-1] == SEQB[b_idx-1]){
                score = MATCH_SCORE;
            } else {
                score = MISMATCH_SCORE;
            }

            row_up = (b_idx-1)*(ALEN+1);
            row = (b_idx)*(ALEN+1);

            up_left = M[row_up + (a_idx-1)] + score;
            up      = M[row_up + (a_idx  )] + GAP_SCORE;
            left    = M[row    + (a_idx-1)] + GAP_SCORE;

            max = MAX(up_left, MAX(up, left));

            M[row + a_idx] = max;
            if(max == left){
                ptr[row + a_idx] = SKIPB;
            } else if(max == up){
                ptr[row + a_idx] = SKIPA;
            } else{
                ptr[row + a_idx] = ALIGN;
            }
        }
    }
}
