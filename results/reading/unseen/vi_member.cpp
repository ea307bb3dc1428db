#include <array>
// a biquad cascade: a plain class with a member table, two constructors, and a default argument
class Biquad {
 public:
  float b[3], a[2];
  Biquad() : Biquad(1.0f) {}
  explicit Biquad(float gain) : z1(0), z2(0) {
    const float base[5] = {0.25f, 0.5f, 0.25f, -0.3f, 0.1f};
    for (int i = 0; i < 3; i++) b[i] = gain * base[i];
    for (int i = 0; i < 2; i++) a[i] = base[3 + i];
  }
  float step(float x, float bias = 0.0f) {
    float y = b[0] * x + z1 + bias;
    z1 = b[1] * x - a[0] * y + z2;
    z2 = b[2] * x - a[1] * y;
    return y;
  }

 private:
  float z1, z2;
};

void cascade(const float x[48], float y[48]) {
  Biquad first, second(0.5f);
  for (auto i = 0; i < 48; i++) {
    float mid = first.step(x[i]);
    y[i] = second.step(mid, 0.125f);
  }
}
