#ifndef STREAMOPT_UNISTD_H
#define STREAMOPT_UNISTD_H
#include <stddef.h>
typedef long ssize_t;
#endif
