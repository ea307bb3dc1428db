#define MAX_SIZE 12
// TRIPCOUNT identifier
const unsigned int c_dim = MAX_SIZE;

extern "C" {
void matmul_partition(int* in1, int* in2, int* out_r, int size, int rep_count) {
#pragma HLS INTERFACE m_axi port = in1 bundle = gmem0
    // Local buffers to hold input data
    int A[MAX_SIZE][MAX_SIZE];
    int B[MAX_SIZE][MAX_SIZE];
    int C[MAX_SIZE][MAX_SIZE];
    int temp_sum[MAX_SIZE];
#pragma HLS ARRAY_PARTITION variable = B dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = C dim = 2 complete
#pragma HLS ARRAY_PARTITION variable = temp_sum dim = 1 complete

readA:
    for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
#pragma HLS LOOP_TRIPCOUNT min = c_dim* c_dim max = c_dim * c_dim
        if (j == size) {
            j = 0;
            i++;
        }
        A[i][j] = in1[itr];
    }
readB:
    for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
        if (j == size) {
            j = 0;
            i++;
        }
        B[i][j] = in2[itr];
    }
count_loop:
    for (int x = 0; x < rep_count; x++) {
    arraypart1:
        for (int i = 0; i < size; i++) {
        init:
            for (int j = 0; j < MAX_SIZE; j++) temp_sum[j] = 0;
        arraypart2:
            for (int k = 0; k < size; k++) {
            arraypart3:
                for (int j = 0; j < MAX_SIZE; j++) {
                    int result = (k == 0) ? 0 : temp_sum[j];
                    result += A[i][k] * B[k][j];
                    temp_sum[j] = result;
                    if (k == size - 1) C[i][j] = result;
                }
            }
        }
    }
writeC:
    for (int itr = 0, i = 0, j = 0; itr < size * size; itr++, j++) {
        if (j == size) {
            j = 0;
            i++;
        }
        out_r[itr] = C[i][j];
    }
}
void matmul_top(int in1[MAX_SIZE * MAX_SIZE], int in2[MAX_SIZE * MAX_SIZE], int out_r[MAX_SIZE * MAX_SIZE]) {
    matmul_partition(in1, in2, out_r, MAX_SIZE, 2);
}
}
