/* run: causal(float S[7][7], float P[7][7]) */
#include <math.h>
#define N 7
void causal(float S[N][N], float P[N][N])
{
    for (int i = 0; i < N; i++) {
        float z = 0.f;
        for (int j = 0; j < N; j++) {
            if (j > i) { P[i][j] = 0.f; }
            else { P[i][j] = expf(S[i][j]); z += P[i][j]; }
        }
        for (int j = 0; j <= i; j++) P[i][j] /= z;
    }
}
