#include "ap_int.h"
#include <hls_math.h>

#define CHANNELS 3
#define WATERMARK_HEIGHT 4
#define WATERMARK_WIDTH 4
#define IMAGE_WIDTH 16
#define IMAGE_HEIGHT 6
typedef ap_uint<128> TYPE;
#define DATA_SIZE 4

int saturatedAdd(int x, int y) {
#pragma HLS INLINE
    // Split Pixel red channel
    int redX = x & 0xff;
    int redY = y & 0xff;
    int redOutput;
    // Split Pixel green channel
    int greenX = (x & 0xff00) >> 8;
    int greenY = (y & 0xff00) >> 8;
    int greenOutput;
    // Split Pixel blue channel
    int blueX = (x & 0xff0000) >> 16;
    int blueY = (y & 0xff0000) >> 16;
    int blueOutput;

    redOutput = redX + redY;
    greenOutput = greenX + greenY;
    blueOutput = blueX + blueY;
    redOutput = (redOutput > 255) ? 255 : redOutput;
    greenOutput = (greenOutput > 255) ? 255 : greenOutput;
    blueOutput = (blueOutput > 255) ? 255 : blueOutput;
    return ((blueOutput << 16) | (greenOutput << 8) | redOutput);
}

extern "C" {
void apply_watermark(const TYPE input[IMAGE_WIDTH * IMAGE_HEIGHT / DATA_SIZE], TYPE output[IMAGE_WIDTH * IMAGE_HEIGHT / DATA_SIZE], int width, int height) {
#pragma HLS INTERFACE m_axi port = input offset = slave bundle = gmem0 depth = 24
#pragma HLS INTERFACE m_axi port = output offset = slave bundle = gmem1 depth = 24

    int imageSize = width * height;
    unsigned int size = ((imageSize - 1) / DATA_SIZE) + 1;

    // Using native C++ types, initialize the watermark
    int watermark[WATERMARK_HEIGHT][WATERMARK_WIDTH] = {
        {0, 0x0f0f0f, 0x0f0f0f, 0}, {0x0f0f0f, 0xff0000, 0xff0000, 0x0f0f0f},
        {0x0f0f0f, 0x00ff00, 0x00ff00, 0x0f0f0f}, {0, 0x0f0f0f, 0x0f0f0f, 0}};
#pragma HLS ARRAY_PARTITION variable = watermark complete dim = 0

    // Per iteration of this loop perform DATA_SIZE pixels operations
    for (unsigned int idx = 0, x = 0, y = 0; idx < size; ++idx, x += DATA_SIZE) {
#pragma HLS PIPELINE II = 1
        TYPE tmp = input[idx];
        // row and column of the pixel
        if (x >= width) {
            x = x - width;
            ++y;
        }
        for (int i = 0; i < DATA_SIZE; i++) {
            // Unpack a pixel, apply the watermark
            unsigned int tmp_x = x + i;
            unsigned int tmp_y = y;
            if (tmp_x > width) {
                tmp_x -= width;
                tmp_y += 1;
            }
            unsigned int w_idy = tmp_y % WATERMARK_HEIGHT;
            unsigned int w_idx = tmp_x % WATERMARK_WIDTH;
            unsigned int pix = tmp.range(32 * (i + 1) - 1, i * 32);
            tmp.range(32 * (i + 1) - 1, i * 32) = saturatedAdd(pix, watermark[w_idy][w_idx]);
        }
        // Write the next DATA_SIZE pixels
        output[idx] = tmp;
    }
}
void watermark_top(const TYPE input[IMAGE_WIDTH * IMAGE_HEIGHT / DATA_SIZE], TYPE output[IMAGE_WIDTH * IMAGE_HEIGHT / DATA_SIZE]) {
    apply_watermark(input, output, IMAGE_WIDTH, IMAGE_HEIGHT);
}
}
