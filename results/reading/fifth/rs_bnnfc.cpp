#include <ap_int.h>
#include <hls_stream.h>

#define WORD_SIZE 32
#define N_WORDS 4
#define N_OUT 10

typedef ap_uint<WORD_SIZE> Word;
typedef ap_int<16> Norm;
typedef ap_uint<1> Bit;

template <typename T>
static int popcount(T x) {
#pragma HLS INLINE
    ap_int<8> cnt = 0;
    for (int i = 0; i < WORD_SIZE; ++i) {
#pragma HLS UNROLL
        cnt += x[i];
    }
    return cnt.to_int();
}

void bin_dense(const Word wt_mem[N_OUT][N_WORDS], const Norm nc_mem[N_OUT], const Word dmem[N_WORDS],
               ap_uint<4> &prediction, Bit outs[N_OUT]) {
    ap_int<16> best_out = -1024;
    ap_uint<4> best = 0;

    LOOP_DENSE_O:
    for (ap_uint<5> o = 0; o < N_OUT; ++o) {
        ap_int<16> o_sum = 0;
        LOOP_DENSE_I:
        for (ap_uint<4> i = 0; i < N_WORDS; i += 1) {
#pragma HLS PIPELINE
            const Word in_wrd = dmem[i];
            const Word wt_wrd = wt_mem[o][i];
            Word x = wt_wrd ^ in_wrd;
            o_sum += WORD_SIZE - (popcount<Word>(x) << 1);
        }
        ap_int<16> val = o_sum + nc_mem[o];
        outs[o] = (o_sum >= nc_mem[o]) ? 0 : 1;
        if (val > best_out) {
            best_out = val;
            best = o;
        }
    }
    prediction = best;
}
