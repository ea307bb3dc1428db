#include <stdint.h>
#define TYPE double
#define nBlocks 6
#define blockSide 2
#define densityFactor 3
#define domainEdge 20.0
#define lj1 1.5
#define lj2 2.0
#define MIN(x, y) ((x) < (y) ? (x) : (y))
#define MAX(x, y) ((x) > (y) ? (x) : (y))
typedef struct { TYPE x, y, z; } dvector_t;
typedef struct { int32_t x, y, z; } ivector_t;

void md(dvector_t force[blockSide][blockSide][blockSide][densityFactor],
        dvector_t position[blockSide][blockSide][blockSide][densityFactor]) {
  ivector_t b0, b1;
  dvector_t p, q;
  int32_t p_idx, q_idx;
  TYPE dx, dy, dz, r2inv, r6inv, potential, f;

loop_grid0_x:
  for (b0.x = 0; b0.x < blockSide; b0.x++) {
  loop_grid0_y:
    for (b0.y = 0; b0.y < blockSide; b0.y++) {
    loop_grid0_z:
      for (b0.z = 0; b0.z < blockSide; b0.z++) {
      loop_grid1_x:
        for (b1.x = MAX(0, b0.x - 1); b1.x < MIN(blockSide, b0.x + 2); b1.x++) {
        loop_grid1_y:
          for (b1.y = MAX(0, b0.y - 1); b1.y < MIN(blockSide, b0.y + 2); b1.y++) {
          loop_grid1_z:
            for (b1.z = MAX(0, b0.z - 1); b1.z < MIN(blockSide, b0.z + 2); b1.z++) {
              dvector_t *base_q = position[b1.x][b1.y][b1.z];
            loop_p:
              for (p_idx = 0; p_idx < densityFactor; p_idx++) {
                p = position[b0.x][b0.y][b0.z][p_idx];
                TYPE sum_x = force[b0.x][b0.y][b0.z][p_idx].x;
                TYPE sum_y = force[b0.x][b0.y][b0.z][p_idx].y;
                TYPE sum_z = force[b0.x][b0.y][b0.z][p_idx].z;
              loop_q:
                for (q_idx = 0; q_idx < densityFactor; q_idx++) {
                  q = *(base_q + q_idx);
                  if (q.x != p.x || q.y != p.y || q.z != p.z) {
                    dx = p.x - q.x;
                    dy = p.y - q.y;
                    dz = p.z - q.z;
                    r2inv = 1.0 / (dx * dx + dy * dy + dz * dz);
                    r6inv = r2inv * r2inv * r2inv;
                    potential = r6inv * (lj1 * r6inv - lj2);
                    f = r2inv * potential;
                    sum_x += f * dx;
                    sum_y += f * dy;
                    sum_z += f * dz;
                  }
                }
                force[b0.x][b0.y][b0.z][p_idx].x = sum_x;
                force[b0.x][b0.y][b0.z][p_idx].y = sum_y;
                force[b0.x][b0.y][b0.z][p_idx].z = sum_z;
              }
            }
          }
        }
      }
    }
  }
}
