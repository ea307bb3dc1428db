#include <stdio.h>
#include <stdlib.h>
#include <inttypes.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <assert.h>
#define TYPE double
#define SIZE 16
#define BLOCK 4

struct bench_args {
    TYPE m[(SIZE) * (SIZE)];
    uint_fast16_t rounds;
};

int input_to_data(int fd, void *data);

static inline int prng(uint64_t *state)
{
    *state = *state * UINT64_C(3) + 1;
    return (int)(*state >> 33);
}
