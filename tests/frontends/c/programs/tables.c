/* run: tables(uint32_t x[8], int32_t y[8]) */
#include <stdint.h>
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
static const int weight[8] = {[0] = 3, [7] = 9, [2] = 5, 6};
static const unsigned mask[] = {0xFFu, 0x0F, 017, 'a', '\n', '\0', '\x41', 255u};
void tables(uint32_t x[8], int32_t y[8])
{
    static const float scale[2][2] = {[1] = {2.f, 4.f}};
    int pair[2] = {1, 2};
    int grid[2][3] = {{1}, {4, 5}};
    for (unsigned i = 0; i < COUNT(weight); i++) {
        x[i] = (x[i] & mask[i]) * weight[i];
        y[i] = x[i] % 11u + sizeof(x[0]);
    }
    pair[0] += grid[1][1] + (int)scale[1][1];
    y[0] = pair[0] + pair[1] + COUNT(mask) + sizeof(mask) + sizeof pair;
}
