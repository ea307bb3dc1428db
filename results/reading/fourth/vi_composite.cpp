#include <stdio.h>
#include <stdint.h>

typedef struct {
    unsigned short varA;
    unsigned char varB[4];
} data_t;

enum shape { LINE = 2, BOX = 4, SOLID = LINE * BOX };

data_t struct_port(data_t i_val, data_t *i_pt, data_t *o_pt) {
    data_t o_val;
    int i;
    enum shape kind = BOX;

    // Transfer pass-by-value structs
    o_val.varA = i_val.varA + 2;
    for (i = 0; i < kind; i++) {
        o_val.varB[i] = i_val.varB[i] + LINE;
    }

    // Transfer pointer structs
    o_pt->varA = i_pt->varA + 3;
    for (i = 0; i < 4; i++) {
        o_pt->varB[i] = i_pt->varB[i] + SOLID;
    }

    return o_val;
}

void composite(uint16_t a[8], uint8_t b[8][4], uint16_t c[8], uint8_t d[8][4]) {
    data_t in, out, ret;
    int n;
    for (n = 0; n < 8; n++) {
        in.varA = a[n];
        for (int i = 0; i < 4; i++) in.varB[i] = b[n][i];
        ret = struct_port(in, &in, &out);
        c[n] = ret.varA ^ out.varA;
        for (int i = 0; i < 4; i++) d[n][i] = ret.varB[i] + (out.varB[i] << 1);
    }
}
