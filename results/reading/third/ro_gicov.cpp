/* GICOV of cells: points on circles around each pixel */
#include <math.h>
#define MAX_RAD 3
#define NPOINTS 8
#define NCIRCLES 2
#define GRID_M 14
#define GRID_N 12
const int tX[NCIRCLES * NPOINTS] = {2, 1, 0, -1, -2, -1, 0, 1, 3, 2, 0, -2, -3, -2, 0, 2};
const int tY[NCIRCLES * NPOINTS] = {0, 1, 2, 1, 0, -1, -2, -1, 0, 2, 3, 2, 0, -2, -3, -2};

extern "C" void workload(float grad_x[GRID_M * GRID_N], float grad_y[GRID_M * GRID_N], float gicov[GRID_M * GRID_N],
                         float sin_angle[NPOINTS], float cos_angle[NPOINTS]) {
  int i, j, k, n;
  for (i = MAX_RAD; i < GRID_M - MAX_RAD; i++) {
    for (j = MAX_RAD; j < GRID_N - MAX_RAD; j++) {
      float max_GICOV = 0;
      for (k = 0; k < NCIRCLES; k++) {
        float Grad[NPOINTS];
        float sum = 0.0f, var = 0.0f, ep = 0.0f;
        for (n = 0; n < NPOINTS; n++) {
          int y = j + tY[(k * NPOINTS) + n];
          int x = i + tX[(k * NPOINTS) + n];
          int addr = x * GRID_N + y;
          Grad[n] = grad_x[addr] * cos_angle[n] + grad_y[addr] * sin_angle[n];
          sum += Grad[n];
        }
        float ave = sum / (float)NPOINTS;
        for (n = 0; n < NPOINTS; n++) {
          float d = Grad[n] - ave;
          var += d * d;
          ep += d;
        }
        var = (var - ((ep * ep) / NPOINTS)) / (NPOINTS - 1);
        if (((ave * ave) / var) > max_GICOV) {
          max_GICOV = (ave * ave) / var;
        }
      }
      gicov[(i * GRID_N) + j] = max_GICOV;
    }
  }
}
