#ifndef STREAMOPT_STDIO_H
#define STREAMOPT_STDIO_H
#include <stdint.h>
#include <stddef.h>
typedef struct streamopt_file FILE;
#define stdin 0
#define stdout 0
#define stderr 0
#define EOF (-1)
int printf(const char *format, ...);
int fprintf(FILE *stream, const char *format, ...);
#endif
