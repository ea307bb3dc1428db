#include <float.h>
#define NPOINTS 32
#define NFEATURES 6
#define NCLUSTERS 3
#ifndef FLT_MAX
#define FLT_MAX 3.40282347e+38
#endif

extern "C" {
void workload(float *feature, int *membership, float *clusters)
{
#pragma HLS INTERFACE m_axi port=feature offset=slave bundle=gmem depth=192
#pragma HLS INTERFACE m_axi port=membership offset=slave bundle=gmem depth=32
#pragma HLS INTERFACE m_axi port=clusters offset=slave bundle=gmem depth=18
    int index;
    UPDATE_MEMBER1: for (int i = 0; i < NPOINTS; i++) {
        float min_dist = FLT_MAX;
        UPDATE_MEMBER2: for (int j = 0; j < NCLUSTERS; j++) {
            float dist = 0.0;
            UPDATE_MEMBER3: for (int k = 0; k < NFEATURES; k++) {
                float diff = feature[NFEATURES * i + k] - clusters[NFEATURES * j + k];
                dist += diff * diff;
            }
            if (dist < min_dist) {
                min_dist = dist;
                index = j;
            }
        }
        membership[i] = index;
    }
}
}
