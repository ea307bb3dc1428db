#include <stdlib.h>
#include <inttypes.h>
#include <stdio.h>

#define SIZE 512
#define NUMOFBLOCKS (SIZE / 4)
#define ElementsPerBlock 4
#define RADIXSIZE 4
#define BUCKETSIZE NUMOFBLOCKS * RADIXSIZE
#define SCAN_BLOCK 16
#define SCAN_RADIX BUCKETSIZE / SCAN_BLOCK

void sum_scan(int sum[SCAN_RADIX], int bucket[BUCKETSIZE]) {
    int radixID, bucket_indx;
    sum[0] = 0;
    sum_1 : for (radixID = 1; radixID < SCAN_RADIX; radixID++) {
        bucket_indx = radixID * SCAN_BLOCK - 1;
        sum[radixID] = sum[radixID - 1] + bucket[bucket_indx];
    }
}

void last_step_scan(int bucket[BUCKETSIZE], int sum[SCAN_RADIX]) {
    int radixID, i, bucket_indx;
    last_1 : for (radixID = 0; radixID < SCAN_RADIX; radixID++) {
        last_2 : for (i = 0; i < SCAN_BLOCK; i++) {
            bucket_indx = radixID * SCAN_BLOCK + i;
            bucket[bucket_indx] = bucket[bucket_indx] + sum[radixID];
        }
    }
}

void scan_steps(int bucket[BUCKETSIZE], int sum[SCAN_RADIX]) {
    sum_scan(sum, bucket);
    last_step_scan(bucket, sum);
}
