#ifndef STREAMOPT_HLS_HALF_H
#define STREAMOPT_HLS_HALF_H
typedef _Float16 half;
#endif
