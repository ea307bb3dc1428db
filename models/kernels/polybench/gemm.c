/* PolyBench gemm at size medium, out of place: D = 1.5 A B + 1.2 C. */

#define NI 200
#define NJ 220
#define NK 240

void gemm(float A[NI][NK], float B[NK][NJ], float C[NI][NJ], float D[NI][NJ])
{
    float AB[NI][NJ];

gemm:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            AB[i][j] = 0.0f;
            for (int k = 0; k < NK; k++)
                AB[i][j] += A[i][k] * B[k][j];
        }

scale_add:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++)
            D[i][j] = 1.5f * AB[i][j] + 1.2f * C[i][j];
}
