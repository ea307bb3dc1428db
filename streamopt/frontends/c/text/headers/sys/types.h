#ifndef STREAMOPT_SYS_TYPES_H
#define STREAMOPT_SYS_TYPES_H
#include <stddef.h>
typedef long ssize_t;
#endif
