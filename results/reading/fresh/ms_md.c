#include <stdlib.h>
#include <stdio.h>
#define TYPE double
#define nAtoms 12
#define domainEdge 20.0
typedef struct { TYPE x, y, z; } dvector_t;
// LJ coefficients
#define lj1 1.5
#define lj2 2.0

void md(dvector_t force[nAtoms], dvector_t position[nAtoms]) {
  int i, j;
  TYPE dx, dy, dz, r2inv, r6inv, potential, f;
  loop_i : for (i = 0; i < nAtoms; i++) {
    dvector_t p = position[i];
    TYPE sum_x = 0, sum_y = 0, sum_z = 0;
    loop_j : for (j = 0; j < nAtoms; j++) {
      dvector_t q = position[j];
      if (i != j) {
        dx = p.x - q.x;
        dy = p.y - q.y;
        dz = p.z - q.z;
        r2inv = 1.0 / (dx * dx + dy * dy + dz * dz);
        r6inv = r2inv * r2inv * r2inv;
        potential = r6inv * (lj1 * r6inv - lj2);
        // Update forces
        f = r2inv * potential;
        sum_x += f * dx;
        sum_y += f * dy;
        sum_z += f * dz;
      }
    }
    force[i].x = sum_x;
    force[i].y = sum_y;
    force[i].z = sum_z;
  }
}
