#ifndef STREAMOPT_SYS_TIME_H
#define STREAMOPT_SYS_TIME_H
#include <time.h>
struct timeval { long tv_sec; long tv_usec; };
struct timezone { int tz_minuteswest; int tz_dsttime; };
#endif
