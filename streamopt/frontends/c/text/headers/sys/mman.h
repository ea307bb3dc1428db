#ifndef STREAMOPT_SYS_MMAN_H
#define STREAMOPT_SYS_MMAN_H
#include <sys/types.h>
#endif
