/* run: conv_border(float image[10][12], float weights[3][3], float out[10][12]) */
#define H 10
#define W 12
#define K 3

void conv_border(const float image[H][W], const float weights[K][K], float out[H][W])
{
    for (int y = 0; y < H; y++) {
        for (int x = 0; x < W; x++) {
#pragma HLS PIPELINE II = 1
            float sum = 0.0f;
            for (int dy = -K / 2; dy <= K / 2; dy++) {
                for (int dx = -K / 2; dx <= K / 2; dx++) {
                    if (y + dy >= 0 && y + dy < H && x + dx >= 0 && x + dx < W)
                        sum += image[y + dy][x + dx] * weights[dy + K / 2][dx + K / 2];
                }
            }
            out[y][x] = sum;
        }
    }
}
