/* run: around(float x[50], float y[50], float z[50], float u[50]) */
void around(const float x[50], float y[50], float z[50], float u[50]) {
  float line[7], ring[5] = {0};
  int pos = 0, at = 0, slot = 2;
  for (int i = 0; i < 7; i++) line[i] = 0;
  for (int n = 0; n < 50; n++) {
    float v = x[n] + 0.5f * line[pos];
    line[pos] = v;
    y[n] = v;
    pos = (pos + 1) % 7;
    z[n] = ring[at] - x[n];
    ring[at] = x[n];
    at++;
    if (at == 5) at = 0;
    u[n] = x[slot];
    slot = (slot + 3) % 50;
  }
}
