/* run: localhdr(data_t a[8], data_t b[8]) */
#include "localhdr.h"
void localhdr(data_t a[LEN], vec_t b)
{
    const int half = LEN / 2;
    for (index_t i = 0; i < half; i++) {
        b[i] = a[i + half] * GAIN;
        b[i + half] = a[i] - GAIN;
    }
}
