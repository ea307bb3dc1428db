#define SIZE 12
#define AA(_i,_j) result[(_i)*SIZE+(_j)]

extern "C" {
void workload(float result[SIZE * SIZE]) {
    int i, j, k;
    float sum;
    for (i = 0; i < SIZE; i++) {
        for (j = i; j < SIZE; j++) {
            sum = AA(i, j);
            for (k = 0; k < i; k++) {
                #pragma HLS pipeline
                sum -= AA(i, k) * AA(k, j);
            }
            AA(i, j) = sum;
        }
        for (j = i + 1; j < SIZE; j++) {
            sum = AA(j, i);
            for (k = 0; k < i; k++) {
                sum -= AA(j, k) * AA(k, i);
            }
            AA(j, i) = sum / AA(i, i);
        }
    }
}
}
