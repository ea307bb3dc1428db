#include <cmath>
#include <algorithm>
#include <hls_math.h>

#define NB 20
struct bodies {
    float x[NB], y[NB], z[NB];
    float mass[NB];
};
struct forces {
    float fx[NB];
    float fy[NB];
    float fz[NB];
};

static const float EPS2 = 1e-3f;

void nbody(const bodies &in, forces &out, float clip) {
#pragma HLS disaggregate variable=in
#pragma HLS disaggregate variable=out
    for (int i = 0; i < NB; ++i) {
        float ax = 0.f, ay = 0.f, az = 0.f;
        for (int j = 0; j < NB; ++j) {
#pragma HLS PIPELINE
            const float dx = in.x[j] - in.x[i], dy = in.y[j] - in.y[i];
            const float dz = in.z[j] - in.z[i];
            const float d2 = dx * dx + dy * dy + dz * dz + EPS2;
            const float inv = 1.0f / hls::sqrt(d2);
            const float s = in.mass[j] * inv * inv * inv;
            ax += s * dx;
            ay += s * dy;
            az += s * dz;
        }
        out.fx[i] = std::max(-clip, std::min(ax, clip));
        out.fy[i] = std::max(-clip, std::min(ay, clip));
        out.fz[i] = fmaxf(-clip, fminf(az, clip));
    }
}
