/* run: statics(float x[8]) */
void statics(float x[8])
{
    static const float k = 0.25f;
    static const int order[4] = {0, 1, 2, 3};
    static int unused = 4;
    const float bias = k * 2, gain = bias + 1.0f;
    for (int i = 0; i < unused; i++)
        x[i + order[3] - 3] = x[i] * gain + bias;
}
