/* convolution layer of the large loop example: boundary checks by index, integers */
#define IMG 9
#define ICH 2
#define OCH 3
#define W_SIZE 3
#define STRIDE 2
#define PADDING 1
#define OSIZE ((IMG + 2 * PADDING - W_SIZE) / STRIDE + 1)
typedef short DTYPE;

void copy_weight(DTYPE *weight, DTYPE wgt_lcl[ICH][W_SIZE * W_SIZE], int output) {
    int stride = ICH * W_SIZE * W_SIZE;
    // Each work_group needs a 'ICH * W_SIZE * W_SIZE' size weight
    readWt:
    for (int itr = 0, i = 0, j = 0; itr < ICH * W_SIZE * W_SIZE; itr++, j++) {
#pragma HLS PIPELINE II=1
        if (j == W_SIZE * W_SIZE) { j = 0; i++; }
        wgt_lcl[i][j] = weight[output * stride + itr];
    }
}

void convolution_operation(DTYPE img_lcl[ICH][IMG * IMG], DTYPE wgt_lcl[ICH][W_SIZE * W_SIZE], DTYPE *out, int output, int y, int x, int i_chan) {
    short acc[ICH][W_SIZE][W_SIZE];
#pragma HLS ARRAY_PARTITION variable=acc complete dim=1
    int xVal_base = x * STRIDE - PADDING;
    int yVal = y * STRIDE - PADDING;
    convYaxis:
    for (int i = 0; i < W_SIZE; i++, yVal++) {
        convXaxis:
        for (int j = 0, xVal = xVal_base; j < W_SIZE; j++, xVal++) {
#pragma HLS PIPELINE II=1
            convInchan:
            for (int input = 0; input < i_chan; input++) {
                if (yVal >= 0 && yVal < IMG && xVal >= 0 && xVal < IMG) {
                    acc[input][i][j] = (short)img_lcl[input][yVal * IMG + xVal] * (short)wgt_lcl[input][i * W_SIZE + j];
                }
                else {
                    acc[input][i][j] = 0;
                }
            }
        }
    }
    // Summation of partial accumulates in single DSP slice
    short sum = 0;
    accJ:
    for (int j = 0; j < W_SIZE; j++)
        accK:
        for (int k = 0; k < W_SIZE; k++)
            accI:
            for (int i = 0; i < i_chan; i++)
                sum += acc[i][j][k];
    out[output * OSIZE * OSIZE + y * OSIZE + x] = sum;
}

extern "C" {
void cnn(DTYPE image[ICH * IMG * IMG], DTYPE weights[OCH * ICH * W_SIZE * W_SIZE], DTYPE out[OCH * OSIZE * OSIZE]) {
#pragma HLS INTERFACE m_axi port=image offset=slave bundle=gmem
    DTYPE img_lcl[ICH][IMG * IMG];
    DTYPE wgt_lcl[ICH][W_SIZE * W_SIZE];
#pragma HLS ARRAY_PARTITION variable=img_lcl complete dim=1
    imgcopy:
    for (int itr = 0, i = 0, j = 0; itr < ICH * IMG * IMG; itr++, j++) {
        if (j == IMG * IMG) { j = 0; i++; }
        img_lcl[i][j] = image[itr];
    }
    outthread:
    for (int output = 0; output < OCH; output++) {
        copy_weight(weights, wgt_lcl, output);
        outYaxis:
        for (int y = 0; y < OSIZE; y++)
            outXaxis:
            for (int x = 0; x < OSIZE; x++)
                convolution_operation(img_lcl, wgt_lcl, out, output, y, x, ICH);
    }
}
}
