#include <ap_int.h>
#include <cstring>

#define LEN 64
#define HALF (LEN / 2)
typedef int pixel_t;

static inline int divRndUp2(int a, int b) { return (a + b) >> 1; }

static void load_line(const pixel_t *in, pixel_t line[LEN], int row) {
#pragma HLS INLINE off
    memcpy(line, in + row * LEN, LEN * sizeof(pixel_t));
}

static void forward53(pixel_t line[LEN], pixel_t low[HALF], pixel_t high[HALF]) {
    for (int i = 0; i < HALF; ++i) {
#pragma HLS PIPELINE II=1
        int right = (i == HALF - 1) ? line[LEN - 2] : line[2 * i + 2];
        high[i] = line[2 * i + 1] - divRndUp2(line[2 * i], right);
    }
    for (int i = 0; i < HALF; ++i) {
#pragma HLS PIPELINE II=1
        int left = (i == 0) ? high[0] : high[i - 1];
        low[i] = line[2 * i] + ((left + high[i] + 2) >> 2);
    }
}

extern "C" void dwt_rows(const pixel_t *in, pixel_t *out) {
#pragma HLS INTERFACE m_axi port=in offset=slave bundle=gmem0 depth=1024
#pragma HLS INTERFACE m_axi port=out offset=slave bundle=gmem1 depth=1024
    for (int row = 0; row < 16; row++) {
        pixel_t line[LEN], low[HALF], high[HALF];
        load_line(in, line, row);
        forward53(line, low, high);
        memcpy(out + row * LEN, low, sizeof(low));
        memcpy(out + row * LEN + HALF, high, HALF * sizeof(pixel_t));
    }
}
