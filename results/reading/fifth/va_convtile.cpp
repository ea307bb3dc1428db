#include <algorithm>
#include <array>
#include <cstdint>

constexpr int kIn = 10, kOut = 8, kChan = 4, kFilt = 3;
using act_t = std::int8_t;
using acc_t = std::int32_t;

namespace {

constexpr int out_size(int in, int k, int stride = 1) { return (in - k) / stride + 1; }
static_assert(out_size(kIn, kFilt) == kOut, "valid convolution");

template <typename T>
constexpr T clamp_to(acc_t v, T lo, T hi) {
    return static_cast<T>(v < lo ? lo : (v > hi ? hi : v));
}

void load(const act_t *src, act_t (&dst)[kChan][kIn][kIn]) {
    for (int i = 0, c = 0; c < kChan; ++c)
        for (int y = 0; y < kIn; ++y)
            for (int x = 0; x < kIn; ++x, ++i) dst[c][y][x] = src[i];
}

}  // namespace

extern "C" void conv_int8(const act_t in[kChan * kIn * kIn], const act_t w[kChan][kChan][kFilt][kFilt],
                          const acc_t bias[kChan], act_t out[kChan][kOut][kOut]) {
    act_t tile[kChan][kIn][kIn];
#pragma HLS ARRAY_PARTITION variable=tile dim=1 complete
    load(in, tile);
    for (int m = 0; m < kChan; ++m) {
        for (int y = 0; y < kOut; ++y) {
            for (int x = 0; x < kOut; ++x) {
                acc_t sum = bias[m];
                for (int c = 0; c < kChan; ++c)
                    for (int dy = 0; dy < kFilt; ++dy)
                        for (int dx = 0; dx < kFilt; ++dx)
                            sum += acc_t{tile[c][y + dy][x + dx]} * acc_t{w[m][c][dy][dx]};
                sum = std::max<acc_t>(sum, 0) >> 5;
                out[m][y][x] = clamp_to<act_t>(sum, -128, 127);
            }
        }
    }
}
