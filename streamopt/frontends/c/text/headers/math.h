#ifndef STREAMOPT_MATH_H
#define STREAMOPT_MATH_H
#include <float.h>
#include <stdint.h>
#define M_E 2.7182818284590452354
#define M_LOG2E 1.4426950408889634074
#define M_LOG10E 0.43429448190325182765
#define M_LN2 0.69314718055994530942
#define M_LN10 2.30258509299404568402
#define M_PI 3.14159265358979323846
#define M_PI_2 1.57079632679489661923
#define M_PI_4 0.78539816339744830962
#define M_1_PI 0.31830988618379067154
#define M_2_PI 0.63661977236758134308
#define M_SQRT2 1.41421356237309504880
#define M_SQRT1_2 0.70710678118654752440
#define nearbyint rint
#define nearbyintf rintf
static inline int isnan(double x) { return x != x; }
static inline int isinf(double x) { return fabs(x) > DBL_MAX; }
static inline int isfinite(double x) { return fabs(x) <= DBL_MAX; }
static inline int signbit(double x) { return copysign(1.0, x) < 0; }
static inline long lround(double x) { return (long)round(x); }
static inline long lroundf(float x) { return (long)roundf(x); }
static inline long lrint(double x) { return (long)rint(x); }
static inline long lrintf(float x) { return (long)rintf(x); }
static inline double fdim(double x, double y) { return x > y ? x - y : 0.0; }
static inline float fdimf(float x, float y) { return x > y ? x - y : 0.0f; }
#endif
