/* run: returns(float x[12], int n[12], float y[12], int s[12]) */
static float bent(float x) {
  if (x > 1)
    return 1;
  float h = x * 2;
  if (x < -1) {
    h += 1;
    return h;
  }
  for (int i = 0; i < 3; i++)
    h += x * i;
  return h;
}

static int sign(int x) {
  int r = 0;
  if (x > 0)
    r = 1;
  else if (x < 0)
    return -1;
  return r;
}

void returns(const float x[12], const int n[12], float y[12], int s[12]) {
  for (int i = 0; i < 12; i++) {
    y[i] = bent(x[i]) + bent(0.5f * x[i]);
    s[i] = 3 * sign(n[i] - 7);
  }
}
