#include <math.h>
#include <cmath>

#define GAMMA 1.4f
#define NDIM 3
#define NNB 4
#define RK 3
#define ff_mach 1.2f
#define VAR_DENSITY 0
#define VAR_MOMENTUM 1
#define VAR_DENSITY_ENERGY (VAR_MOMENTUM + NDIM)
#define NVAR (VAR_DENSITY_ENERGY + 1)
#define SIZE 32

struct float3 { float x, y, z; };

inline void compute_velocity(float &density, float3 &momentum, float3 &velocity) {
    velocity.x = momentum.x / density;
    velocity.y = momentum.y / density;
    velocity.z = momentum.z / density;
}

inline float compute_speed_sqd(float3 &velocity) {
    return velocity.x * velocity.x + velocity.y * velocity.y + velocity.z * velocity.z;
}

inline float compute_pressure(float &density, float &density_energy, float &speed_sqd) {
    return (float(GAMMA) - float(1.0f)) * (density_energy - float(0.5f) * density * speed_sqd);
}

inline float compute_speed_of_sound(float &density, float &pressure) {
    return std::sqrt(float(GAMMA) * pressure / density);
}

extern "C" {
void compute_step_factor(float *variables, float areas[SIZE], float step_factors[SIZE]) {
#pragma HLS INTERFACE m_axi port=variables depth=160
    for (int i = 0; i < SIZE; i++) {
        float density = variables[NVAR * i + VAR_DENSITY];

        float3 momentum;
        momentum.x = variables[NVAR * i + (VAR_MOMENTUM + 0)];
        momentum.y = variables[NVAR * i + (VAR_MOMENTUM + 1)];
        momentum.z = variables[NVAR * i + (VAR_MOMENTUM + 2)];

        float density_energy = variables[NVAR * i + VAR_DENSITY_ENERGY];
        float3 velocity;
        compute_velocity(density, momentum, velocity);
        float speed_sqd = compute_speed_sqd(velocity);
        float pressure = compute_pressure(density, density_energy, speed_sqd);
        float speed_of_sound = compute_speed_of_sound(density, pressure);

        step_factors[i] = float(0.5f) / (std::sqrt(areas[i]) * (std::sqrt(speed_sqd) + speed_of_sound));
    }
}
}
