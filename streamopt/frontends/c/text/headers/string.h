#ifndef STREAMOPT_STRING_H
#define STREAMOPT_STRING_H
#include <stddef.h>
#endif
