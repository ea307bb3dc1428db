#include "ms_ffttwiddle.h"

#define cmplx_M_x(a_x, a_y, b_x, b_y) (a_x*b_x - a_y *b_y)
#define cmplx_M_y(a_x, a_y, b_x, b_y) (a_x*b_y + a_y *b_x)

void twiddles8(TYPE a_x[8], TYPE a_y[8], int i, int n){
    int reversed8[8] = {0,4,2,6,1,5,3,7};
    int j;
    TYPE phi, tmp, phi_x, phi_y;

    twiddles:for(j=1; j < 8; j++){
        phi = ((-2*PI*reversed8[j]/n)*i);
        phi_x = cos(phi);
        phi_y = sin(phi);
        tmp = a_x[j];
        a_x[j] = cmplx_M_x(a_x[j], a_y[j], phi_x, phi_y);
        a_y[j] = cmplx_M_y(tmp, a_y[j], phi_x, phi_y);
    }
}

void loadx8(TYPE a_x[], TYPE x[], int offset, int sx){
    a_x[0] = x[0*sx+offset];
    a_x[1] = x[1*sx+offset];
    a_x[2] = x[2*sx+offset];
    a_x[3] = x[3*sx+offset];
    a_x[4] = x[4*sx+offset];
    a_x[5] = x[5*sx+offset];
    a_x[6] = x[6*sx+offset];
    a_x[7] = x[7*sx+offset];
}

void stage(TYPE work_x[TOTAL], TYPE work_y[TOTAL]){
    int tid, stride, i;
    TYPE data_x[8];
    TYPE data_y[8];

    stride = THREADS;
    loop1 : for(tid = 0; tid < THREADS; tid++){
        loadx8(data_x, work_x, tid, stride);
        loadx8(data_y, work_y, tid, stride);
        twiddles8(data_x, data_y, tid, TOTAL);
        out : for(i = 0; i < 8; i++){
            work_x[i*stride+tid] = data_x[i];
            work_y[i*stride+tid] = data_y[i];
        }
    }
}
