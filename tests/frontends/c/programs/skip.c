/* run: skip(int a[16], int b[16]) */
void skip(int a[16], int b[16])
{
    for (int i = 0; i < 16; i++) {
        if (i % 4 == 0) continue;
        if (a[i] > 50) {
            b[i] = 1;
            continue;
        }
        b[i] = a[i];
        b[i] += 3;
    }
}
