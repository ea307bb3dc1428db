/* run: viterbi(float init[5], float trans[5][5], float emit[9][5], float score[9][5], int back[9][5]) */
#define S 5
#define T 9
void viterbi(float init[S], float trans[S][S], float emit[T][S], float score[T][S], int back[T][S])
{
    for (int s = 0; s < S; s++) {
        score[0][s] = init[s] + emit[0][s];
        back[0][s] = -1;
    }
    for (int t = 1; t < T; t++)
        for (int s = 0; s < S; s++) {
            float best = score[t - 1][0] + trans[0][s];
            int arg = 0;
            for (int p = 1; p < S; p++) {
                float c = score[t - 1][p] + trans[p][s];
                if (c > best) {
                    best = c;
                    arg = p;
                }
            }
            score[t][s] = best + emit[t][s];
            back[t][s] = arg;
        }
}
