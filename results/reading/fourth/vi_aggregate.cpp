#include "ap_int.h"
#include <iostream>
#include <array>

struct A {
    char foo;  // 1 byte
    short bar; // 2 bytes
};

struct Pixel {
    ap_uint<5> r;
    ap_uint<6> g;
    ap_uint<5> b;
    unsigned grey() const { return (r * 2 + g * 5 + b) >> 3; }
};

int dut(const A arr[6], Pixel px[6], unsigned char grey[6]) {
#pragma HLS INTERFACE m_axi port=arr depth=6
#pragma HLS AGGREGATE compact=auto variable=arr
#pragma HLS DISAGGREGATE variable=px
    int sum = 0;
    for (std::size_t i = 0; i < 6; i++) {
        auto tmp = arr[i].foo + arr[i].bar;
        sum += tmp;
        grey[i] = static_cast<unsigned char>(px[i].grey());
        px[i] = Pixel{px[i].b, px[i].g, px[i].r};
    }
    return sum;
}
