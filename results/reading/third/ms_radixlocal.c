/* the two scans of a radix sort: within blocks, of the blocks' sums, and their sum */
#define SCAN_BLOCK 4
#define SCAN_RADIX 8
#define BUCKETSIZE (SCAN_BLOCK * SCAN_RADIX)

void local_scan(int bucket[BUCKETSIZE]) {
  int radixID, i, bucket_indx;
local_1:
  for (radixID = 0; radixID < SCAN_RADIX; radixID++) {
  local_2:
    for (i = 1; i < SCAN_BLOCK; i++) {
      bucket_indx = radixID * SCAN_BLOCK + i;
      bucket[bucket_indx] += bucket[bucket_indx - 1];
    }
  }
}

void sum_scan(int sum[SCAN_RADIX], int bucket[BUCKETSIZE]) {
  int radixID, bucket_indx;
  sum[0] = 0;
sum_1:
  for (radixID = 1; radixID < SCAN_RADIX; radixID++) {
    bucket_indx = radixID * SCAN_BLOCK - 1;
    sum[radixID] = sum[radixID - 1] + bucket[bucket_indx];
  }
}

void last_step_scan(int bucket[BUCKETSIZE], int sum[SCAN_RADIX]) {
  int radixID, i, bucket_indx;
last_1:
  for (radixID = 0; radixID < SCAN_RADIX; radixID++) {
  last_2:
    for (i = 0; i < SCAN_BLOCK; i++) {
      bucket_indx = (radixID * SCAN_BLOCK) + i;
      bucket[bucket_indx] = bucket[bucket_indx] + sum[radixID];
    }
  }
}

void scans(int bucket[BUCKETSIZE], int sum[SCAN_RADIX]) {
  local_scan(bucket);
  sum_scan(sum, bucket);
  last_step_scan(bucket, sum);
}
