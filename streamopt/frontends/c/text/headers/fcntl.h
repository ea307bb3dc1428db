#ifndef STREAMOPT_FCNTL_H
#define STREAMOPT_FCNTL_H
#include <sys/types.h>
#endif
