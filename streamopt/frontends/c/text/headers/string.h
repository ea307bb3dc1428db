#ifndef STREAMOPT_STRING_H
#define STREAMOPT_STRING_H
#include <stdint.h>
#include <stddef.h>
#endif
