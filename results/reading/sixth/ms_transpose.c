#include <stdio.h>
typedef struct complex_t { double x, y; } complex_t;
#define THREADS 8
#define cmplx_M_x(a_x, a_y, b_x, b_y) (a_x*b_x - a_y *b_y)
#define cmplx_M_y(a_x, a_y, b_x, b_y) (a_x*b_y + a_y *b_x)
#define cmplx_add_x(a_x, b_x) (a_x + b_x)
#define cmplx_add_y(a_y, b_y) (a_y + b_y)
#define cmplx_sub_x(a_x, b_x) (a_x - b_x)
#define cmplx_sub_y(a_y, b_y) (a_y - b_y)
#define cmplx_MUL_x(a_x, a_y, b_x, b_y) (a_x*b_x - a_y*b_y)
#define cmplx_MUL_y(a_x, a_y, b_x, b_y) (a_x*b_y + a_y*b_x)
#ifndef M_SQRT1_2
#define M_SQRT1_2      0.70710678118654752440f
#endif
#define FF2(a0_x, a0_y, a1_x, a1_y){			\
    double c0_x = *a0_x;		\
    double c0_y = *a0_y;		\
    *a0_x = cmplx_add_x(c0_x, *a1_x);	\
    *a0_y = cmplx_add_y(c0_y, *a1_y);	\
    *a1_x = cmplx_sub_x(c0_x, *a1_x);	\
    *a1_y = cmplx_sub_y(c0_y, *a1_y);	\
}
#define FFT4(a0_x, a0_y, a1_x, a1_y, a2_x, a2_y, a3_x, a3_y){			\
    double exp_1_44_x;		\
    double exp_1_44_y;		\
    double tmp;			\
    exp_1_44_x =  0.0;		\
    exp_1_44_y =  -1.0;		\
    FF2( a0_x, a0_y, a2_x, a2_y);	\
    FF2( a1_x, a1_y, a3_x, a3_y);	\
    tmp = *a3_x;			\
    *a3_x = *a3_x*exp_1_44_x-*a3_y*exp_1_44_y;	\
    *a3_y = tmp*exp_1_44_y - *a3_y*exp_1_44_x;	\
    FF2( a0_x, a0_y, a1_x, a1_y );	\
    FF2( a2_x, a2_y, a3_x, a3_y );	\
}

void fft_columns(double work_x[THREADS*4], double work_y[THREADS*4]) {
    int tid, stride, i;
    double data_x[4];
    double data_y[4];
    stride = THREADS;
loop1 : for(tid = 0; tid < THREADS; tid++){
        for (i = 0; i < 4; i++) {
            data_x[i] = work_x[i*stride+tid];
            data_y[i] = work_y[i*stride+tid];
        }
        FFT4(&data_x[0], &data_y[0], &data_x[1], &data_y[1], &data_x[2], &data_y[2], &data_x[3], &data_y[3]);
        work_x[0*stride+tid] = data_x[0];
        work_x[1*stride+tid] = data_x[1];
        work_x[2*stride+tid] = data_x[2];
        work_x[3*stride+tid] = data_x[3];
        for (i = 0; i < 4; i++)
            work_y[i*stride+tid] = data_y[i];
    }
}
