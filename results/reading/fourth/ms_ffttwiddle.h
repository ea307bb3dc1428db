#include <stdio.h>
#include <stdlib.h>
#include <math.h>

#define TYPE double
#ifndef PI
#define PI 3.1415926535
#endif
#define THREADS 4
#define TOTAL (8 * THREADS)

void stage(TYPE work_x[TOTAL], TYPE work_y[TOTAL]);
