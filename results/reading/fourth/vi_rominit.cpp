#include <cmath>
#include "ap_int.h"
#include "ap_fixed.h"
using namespace std;
// Use of a function to initialise an array that becomes a ROM
#ifdef __SYNTHESIS__
typedef ap_fixed<18, 2> dout_t;
#else
typedef ap_fixed<18, 2> dout_t;
#endif
typedef ap_uint<5> din1_t;
typedef short din2_t;
#define TAPS 32

void init_sin_table(din2_t sin_table[TAPS]) {
    int i;
    for (i = 0; i < TAPS; i++) {
        din2_t real_val = (din2_t)(32768.0 * 0.999 * sin(2.0 * M_PI * (double)i / TAPS));
        sin_table[i] = real_val;
    }
}

int array_ROM_math_init(const din2_t inval[TAPS], din2_t idx, int phase[TAPS]) {
    din2_t sin_table[TAPS];
    init_sin_table(sin_table);
    int sum = 0;
mix:
    for (int i = 0; i < TAPS; ++i) {
        phase[i] = (int)inval[i] * (int)sin_table[(i * 3) % TAPS];
        sum += phase[i] >> 15;
    }
    return sum + idx;
}
