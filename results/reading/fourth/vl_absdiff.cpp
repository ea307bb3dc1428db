#include "ap_int.h"
#include "hls_stream.h"
#define XF_PIXELDEPTH 8
#define XF_NPIXPERCYCLE(NPC) (1 << (NPC))
#define XF_WORDWIDTH(NPC) (XF_PIXELDEPTH * XF_NPIXPERCYCLE(NPC))
enum { XF_NPPC1 = 0, XF_NPPC4 = 2 };
#define HEIGHT 6
#define WIDTH 16

template <int ROWS, int COLS, int NPC> class Mat {
   public:
    int rows, cols;
    hls::stream<ap_uint<XF_WORDWIDTH(NPC)> > data;
    Mat() : rows(ROWS), cols(COLS) {}
    Mat(int _rows, int _cols) {
        rows = _rows;
        cols = _cols;
    }
    ap_uint<XF_WORDWIDTH(NPC)> read() { return data.read(); }
    void write(ap_uint<XF_WORDWIDTH(NPC)> v) { data.write(v); }
};

template <int ROWS, int COLS, int NPC> void absdiff(Mat<ROWS, COLS, NPC> &src1, Mat<ROWS, COLS, NPC> &src2, Mat<ROWS, COLS, NPC> &dst) {
#pragma HLS INLINE OFF
    const int STEP = XF_PIXELDEPTH;
Row_Loop:
    for (ap_uint<13> i = 0; i < src1.rows; i++) {
#pragma HLS LOOP_TRIPCOUNT min=ROWS max=ROWS
    Col_Loop:
        for (ap_uint<13> j = 0; j < (src1.cols >> NPC); j++) {
#pragma HLS pipeline
            ap_uint<XF_WORDWIDTH(NPC)> val_src1 = src1.read(), val_src2 = src2.read(), val_dst;
        Unroll:
            for (ap_uint<10> c = 0; c < XF_WORDWIDTH(NPC); c += STEP) {
#pragma HLS UNROLL
                ap_uint<8> val1 = val_src1.range(c + (STEP - 1), c);
                ap_uint<8> val2 = val_src2.range(c + (STEP - 1), c);
                val_dst.range(c + (STEP - 1), c) = (val1 > val2) ? (val1 - val2) : (val2 - val1);
            }
            dst.write(val_dst);
        }
    }
}

void absdiff_accel(ap_uint<32> in1[HEIGHT * WIDTH / 4], ap_uint<32> in2[HEIGHT * WIDTH / 4], ap_uint<32> out[HEIGHT * WIDTH / 4]) {
    Mat<HEIGHT, WIDTH, XF_NPPC4> a, b(HEIGHT, WIDTH), c;
#pragma HLS DATAFLOW
    for (int i = 0; i < HEIGHT * WIDTH / 4; i++) {
        a.write(in1[i]);
        b.write(in2[i]);
    }
    absdiff<HEIGHT, WIDTH, XF_NPPC4>(a, b, c);
    for (int i = 0; i < HEIGHT * WIDTH / 4; i++) out[i] = c.read();
}
