#ifndef STREAMOPT_SYS_RESOURCE_H
#define STREAMOPT_SYS_RESOURCE_H
#include <stddef.h>
#include <sys/types.h>
#endif
