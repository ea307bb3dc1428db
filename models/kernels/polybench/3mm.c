/* PolyBench 3mm at size medium: G = (A B) (C D). */

#define NI 180
#define NJ 190
#define NK 200
#define NL 210
#define NM 220

void three_mm(float A[NI][NK], float B[NK][NJ], float C[NJ][NM], float D[NM][NL], float G[NI][NL])
{
    float E[NI][NJ], F[NJ][NL];

gemm1:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NJ; j++) {
            E[i][j] = 0.0f;
            for (int k = 0; k < NK; k++)
                E[i][j] += A[i][k] * B[k][j];
        }

gemm2:
    for (int i = 0; i < NJ; i++)
        for (int j = 0; j < NL; j++) {
            F[i][j] = 0.0f;
            for (int k = 0; k < NM; k++)
                F[i][j] += C[i][k] * D[k][j];
        }

gemm3:
    for (int i = 0; i < NI; i++)
        for (int j = 0; j < NL; j++) {
            G[i][j] = 0.0f;
            for (int k = 0; k < NJ; k++)
                G[i][j] += E[i][k] * F[k][j];
        }
}
