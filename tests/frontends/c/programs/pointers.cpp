/* run: pointers(float a[6][8], float b[48], float out[8]) */
typedef float data_t;
static float total(const float *v, int n)
{
    float s = 0;
    for (int i = 0; i < n; i++) s += *(v + i);
    return s;
}
static void add(float *sum, const float *row)
{
    for (int j = 0; j < 8; j++) sum[j] += row[j];
}
void pointers(float a[6][8], float *b, float out[8])
{
    float sums[8] = {};
    for (int i = 0; i < 6; i++) {
        const float *row = &a[i][0];
        float *flat = b + i * 8;
        for (int j = 0; j < 8; j++) flat[j] = row[j] * data_t(j) + static_cast<float>(i);
        add(sums, row);
        add(sums, &b[i * 8]);
        add(sums, b + 8 * i);
        add(sums, a[i]);
    }
    for (int j = 0; j < 8; j++) out[j] = sums[j] + total(&a[j % 6][2], 4) + float(j / 2);
}
