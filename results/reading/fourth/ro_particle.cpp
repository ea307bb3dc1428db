#include <math.h>
#include <stdlib.h>
#include <limits.h>
#define PI 3.1415926535897932
#define Nparticles 32
#define Nfr 3
/** @var M value for Linear Congruential Generator (LCG); use GCC's value */
static const long M = INT_MAX;
static const int A = 1103515245;
static const int C = 12345;

double roundDouble(double value) {
  int newValue = (int)(value);
  if (value - newValue < .5)
    return newValue;
  else
    return newValue++;
}

extern "C" {
void workload(int seed[Nparticles], double arrayX[Nparticles], double arrayY[Nparticles],
              double likelihood[Nparticles], double weights[Nparticles], double CDF[Nparticles],
              double u[Nparticles], double xe[1], double ye[1]) {
#pragma HLS INTERFACE m_axi port=arrayX bundle=gmem0
#pragma HLS INTERFACE m_axi port=weights bundle=gmem1
#pragma HLS INTERFACE s_axilite port=return bundle=control
  int x, y, k;
  for (x = 0; x < Nparticles; x++) {
    weights[x] = 1 / ((double)(Nparticles));
  }
  for (k = 1; k < Nfr; k++) {
    //apply motion model
    for (x = 0; x < Nparticles; x++) {
      seed[x] = (A * seed[x] + C) & 0x7fff;
      arrayX[x] += 1 + 5 * (fabs(seed[x] / ((double)M)) - 0.5);
      arrayY[x] += -2 + 2 * (fabs(seed[x] / ((double)M)) - 0.5);
    }
    //update weights using likelihood
    double sumWeights = 0;
    for (x = 0; x < Nparticles; x++) {
      weights[x] = weights[x] * exp(likelihood[x]);
      sumWeights += weights[x];
    }
    for (x = 0; x < Nparticles; x++) {
      weights[x] = weights[x] / sumWeights;
    }
    xe[0] = 0;
    ye[0] = 0;
    // estimate the object location by expected values
    for (x = 0; x < Nparticles; x++) {
      xe[0] += arrayX[x] * weights[x];
      ye[0] += arrayY[x] * weights[x];
    }
    double distance = sqrt(pow((double)(xe[0] - 7.0), 2) + pow((double)(ye[0] - 5.0), 2));
    CDF[0] = weights[0];
    for (x = 1; x < Nparticles; x++) {
      CDF[x] = weights[x] + CDF[x - 1];
    }
    double u1 = (1 / ((double)(Nparticles))) * roundDouble(distance);
    for (x = 0; x < Nparticles; x++) {
      u[x] = u1 + x / ((double)(Nparticles));
    }
  }
}
}
