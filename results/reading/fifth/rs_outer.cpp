#include "ap_fixed.h"
#include "hls_stream.h"

#define H 12
#define W 10
typedef ap_fixed<32, 13> pixel_t;
typedef ap_fixed<32, 27> outer_pixel_t;
typedef ap_fixed<64, 56> calc_pixel_t;
typedef ap_fixed<32, 13> vel_pixel_t;

typedef struct { pixel_t x; pixel_t y; pixel_t z; } gradient_t;
typedef struct { outer_pixel_t val[6]; } outer_t;
typedef struct { outer_pixel_t val[6]; } tensor_t;
typedef struct { vel_pixel_t x; vel_pixel_t y; } velocity_t;

static void outer_product(gradient_t gradient[H][W], hls::stream<outer_t> &outer_out) {
    OUTER_OUTER: for (int r = 0; r < H; r++) {
        OUTER_INNER: for (int c = 0; c < W; c++) {
            #pragma HLS pipeline II=1
            gradient_t grad = gradient[r][c];
            outer_pixel_t x = (outer_pixel_t) grad.x;
            outer_pixel_t y = (outer_pixel_t) grad.y;
            outer_pixel_t z = (outer_pixel_t) grad.z;
            outer_t out;
            out.val[0] = (x * x);
            out.val[1] = (y * y);
            out.val[2] = (z * z);
            out.val[3] = (x * y);
            out.val[4] = (x * z);
            out.val[5] = (y * z);
            outer_out.write(out);
        }
    }
}

static void flow_calc(hls::stream<outer_t> &tensors, velocity_t outputs[H][W]) {
    static outer_pixel_t buf[2];
    FLOW_OUTER: for (int r = 0; r < H; r++) {
        FLOW_INNER: for (int c = 0; c < W; c++) {
            #pragma HLS pipeline II=1
            tensor_t tmp_tensor;
            outer_t in = tensors.read();
            for (int i = 0; i < 6; i++)
                tmp_tensor.val[i] = in.val[i];
            if (r >= 2 && r < H - 2 && c >= 2 && c < W - 2) {
                calc_pixel_t t1 = (calc_pixel_t) tmp_tensor.val[0];
                calc_pixel_t t2 = (calc_pixel_t) tmp_tensor.val[1];
                calc_pixel_t t4 = (calc_pixel_t) tmp_tensor.val[3];
                calc_pixel_t t5 = (calc_pixel_t) tmp_tensor.val[4];
                calc_pixel_t t6 = (calc_pixel_t) tmp_tensor.val[5];
                calc_pixel_t numer0 = t6 * t4 - t5 * t2;
                calc_pixel_t numer1 = t5 * t4 - t6 * t1;
                buf[0] = numer0;
                buf[1] = numer1;
            } else {
                buf[0] = buf[1] = 0;
            }
            outputs[r][c].x = (vel_pixel_t) buf[0];
            outputs[r][c].y = (vel_pixel_t) buf[1];
        }
    }
}

extern "C" void flow_tail(gradient_t gradient[H][W], velocity_t outputs[H][W]) {
#pragma HLS data_pack variable=outputs
#pragma HLS DATAFLOW
    hls::stream<outer_t> outer("outer");
#pragma HLS STREAM variable=outer depth=1024
    outer_product(gradient, outer);
    flow_calc(outer, outputs);
}
