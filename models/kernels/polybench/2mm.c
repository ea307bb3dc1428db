/* PolyBench 2mm at size medium, out of place: E = 1.5 A B C + 1.2 D. */

#define NI 180
#define NJ 190
#define NK 210
#define NL 220

void two_mm(float A[NI][NK], float B[NK][NJ], float C[NJ][NL], float D[NI][NL], float E[NI][NL])
{
    float AB[NI][NJ], ABC[NI][NL];

gemm1:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            AB[i][j] = 0.0f;
            for (int k = 0; k < NK; k++)
                AB[i][j] += A[i][k] * B[k][j];
        }

gemm2:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            ABC[i][j] = 0.0f;
            for (int k = 0; k < NJ; k++)
                ABC[i][j] += AB[i][k] * C[k][j];
        }

scale_add:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++)
            E[i][j] = 1.5f * ABC[i][j] + 1.2f * D[i][j];
}
