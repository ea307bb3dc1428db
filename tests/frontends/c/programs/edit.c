/* run: edit(int8_t s[10], int8_t t[12], int D[11][13], int distance[1]) */
#define LS 10
#define LT 12
static inline int min2(int a, int b) { return a < b ? a : b; }

void edit(const signed char s[LS], const signed char t[LT], int D[LS + 1][LT + 1], int *distance)
{
    for (int i = 0; i <= LS; i++) D[i][0] = i;
    for (int j = 0; j <= LT; j++) D[0][j] = j;
    for (int i = 1; i <= LS; i++)
        for (int j = 1; j <= LT; j++) {
            int cost = (s[i - 1] == t[j - 1]) ? 0 : 1;
            D[i][j] = min2(min2(D[i - 1][j] + 1, D[i][j - 1] + 1), D[i - 1][j - 1] + cost);
        }
    *distance = D[LS][LT];
}
