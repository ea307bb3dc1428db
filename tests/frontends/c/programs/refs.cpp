/* run: refs(float a[8], float b[8]) */
static void scale(float &v, const float &f) { v *= f; }
static void all(float (&v)[8], float f)
{
    for (int i = 0; i < 8; i++) scale(v[i], f);
}
void refs(float (&a)[8], float b[8])
{
    all(a, 2.0f);
    for (int i = 0; i < 8; i++) {
        float &slot = b[i];
        slot += a[i];
    }
}
