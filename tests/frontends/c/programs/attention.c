/* run: attention(float Q[6][4], float K[6][4], float V[6][4], float O[6][4]) */
#include <math.h>
#include <float.h>
#define N 6
#define D 4
void attention(float Q[N][D], float K[N][D], float V[N][D], float O[N][D])
{
    float S[N][N];
    const float scale = 1.0f / sqrtf((float)D);
    for (int i = 0; i < N; i++) {
        float m = -FLT_MAX, z = 0;
        for (int j = 0; j < N; j++) {
            float dot = 0;
            for (int d = 0; d < D; d++)
                dot += Q[i][d] * K[j][d];
            S[i][j] = dot * scale;
            m = fmaxf(m, S[i][j]);
        }
        for (int j = 0; j < N; j++) {
            S[i][j] = expf(S[i][j] - m);
            z += S[i][j];
        }
        for (int d = 0; d < D; d++) {
            O[i][d] = 0;
            for (int j = 0; j < N; j++)
                O[i][d] += S[i][j] / z * V[j][d];
        }
    }
}
