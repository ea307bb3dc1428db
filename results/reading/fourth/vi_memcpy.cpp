#include <stdio.h>
#include <string.h>

#define LENGTH 50

extern "C" {
void example(volatile int *a) {
// Port a is assigned to an AXI4 master interface
#pragma HLS INTERFACE m_axi port=a depth=50
    int i;
    int buff[LENGTH];

    // memcpy creates a burst access to memory
    memcpy(buff, (const int*)a, LENGTH * sizeof(int));

    for (i = 0; i < LENGTH; i++) {
        buff[i] = buff[i] + 100;
    }

    memcpy((int *)a, buff, LENGTH * sizeof(int));
}
}
void example_top(int a[LENGTH]) { example(a); }
