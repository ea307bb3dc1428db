#ifndef SUPPORT_H
#define SUPPORT_H
#include <stdlib.h>
#include <inttypes.h>
extern int INPUT_SIZE;
void run_benchmark(void *vargs);
void input_to_data(int fd, void *vdata);
int check_data(void *vdata, void *vref);
char *readfile(int fd);
#endif
