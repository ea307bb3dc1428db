#ifndef STREAMOPT_SYS_STAT_H
#define STREAMOPT_SYS_STAT_H
#include <stddef.h>
#include <sys/types.h>
#endif
