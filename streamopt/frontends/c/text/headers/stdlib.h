#ifndef STREAMOPT_STDLIB_H
#define STREAMOPT_STDLIB_H
#include <stdint.h>
#include <stddef.h>
#define EXIT_SUCCESS 0
#define EXIT_FAILURE 1
#define RAND_MAX 2147483647
void *malloc(size_t size);
void free(void *pointer);
void exit(int status);
#endif
