#include <math.h>
#define GAMMA 1.4f
#define N 12
#define M 10
#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define VAR_DENSITY_ENERGY (VAR_MOMENTUM + NDIM)
#define NDIM 2
#define NVAR (VAR_DENSITY_ENERGY + 1)

struct float2_ { float x, y; };
struct Flux { float density; float2_ momentum; float energy; };

inline void compute_velocity(float &density, float2_ &momentum, float2_ &velocity) {
  velocity.x = momentum.x / density;
  velocity.y = momentum.y / density;
}
inline float compute_speed_sqd(float2_ &velocity) { return velocity.x * velocity.x + velocity.y * velocity.y; }
inline float compute_pressure(float &density, float &density_energy, float &speed_sqd) {
  return (float(GAMMA) - float(1.0f)) * (density_energy - float(0.5f) * density * speed_sqd);
}
inline float compute_speed_of_sound(float &density, float &pressure) {
  return sqrtf(float(GAMMA) * pressure / density);
}

void cfd(float variables[NVAR * N * M], float fluxes[NVAR * N * M]) {
  for (int i = 0; i < N; i++) {
    for (int j = 0; j < M; j++) {
#pragma HLS PIPELINE
      int at = i * M + j;
      float density = variables[VAR_DENSITY * N * M + at];
      float2_ momentum;
      momentum.x = variables[(VAR_MOMENTUM + 0) * N * M + at];
      momentum.y = variables[(VAR_MOMENTUM + 1) * N * M + at];
      float energy = variables[VAR_DENSITY_ENERGY * N * M + at];
      float2_ velocity;
      compute_velocity(density, momentum, velocity);
      float speed_sqd = compute_speed_sqd(velocity);
      float pressure = compute_pressure(density, energy, speed_sqd);
      float speed = sqrtf(fabsf(speed_sqd)) + compute_speed_of_sound(density, pressure);
      Flux flux = {0.0f, {0.0f, 0.0f}, 0.0f};
      for (int n = 0; n < 4; n++) {
        int di = n == 0 ? -1 : n == 1 ? 1 : 0;
        int dj = n == 2 ? -1 : n == 3 ? 1 : 0;
        if (i + di < 0 || i + di >= N || j + dj < 0 || j + dj >= M) continue;
        int nb = (i + di) * M + j + dj;
        float factor = -0.5f * speed;
        flux.density += factor * (density - variables[VAR_DENSITY * N * M + nb]);
        flux.momentum.x += factor * (momentum.x - variables[VAR_MOMENTUM * N * M + nb]);
        flux.momentum.y += factor * (momentum.y - variables[(VAR_MOMENTUM + 1) * N * M + nb]);
        flux.energy += factor * (energy - variables[VAR_DENSITY_ENERGY * N * M + nb]);
      }
      fluxes[VAR_DENSITY * N * M + at] = flux.density;
      fluxes[(VAR_MOMENTUM + 0) * N * M + at] = flux.momentum.x;
      fluxes[(VAR_MOMENTUM + 1) * N * M + at] = flux.momentum.y;
      fluxes[VAR_DENSITY_ENERGY * N * M + at] = flux.energy;
    }
  }
}
