/* the projection and the bounding boxes of a rasterizer, a triangle after another */
#include "ap_int.h"
#define NUM_3D_TRI 10
typedef ap_uint<8> bit8;
typedef ap_uint<2> bit2;
typedef struct { bit8 x0, y0, z0, x1, y1, z1, x2, y2, z2; } Triangle_3D;
typedef struct { bit8 x0, y0, x1, y1, x2, y2, z; } Triangle_2D;

bit8 find_min(bit8 in0, bit8 in1, bit8 in2) {
#pragma HLS INLINE off
  if (in0 < in1) {
    if (in0 < in2) return in0;
    else return in2;
  } else {
    if (in1 < in2) return in1;
    else return in2;
  }
}
void projection(Triangle_3D triangle_3d, Triangle_2D *triangle_2d, bit2 angle) {
  if (angle == 0) {
    triangle_2d->x0 = triangle_3d.x0;
    triangle_2d->y0 = triangle_3d.y0;
    triangle_2d->x1 = triangle_3d.x1;
    triangle_2d->y1 = triangle_3d.y1;
    triangle_2d->x2 = triangle_3d.x2;
    triangle_2d->y2 = triangle_3d.y2;
    triangle_2d->z = triangle_3d.z0 / 3 + triangle_3d.z1 / 3 + triangle_3d.z2 / 3;
  } else if (angle == 1) {
    triangle_2d->x0 = triangle_3d.x0;
    triangle_2d->y0 = triangle_3d.z0;
    triangle_2d->x1 = triangle_3d.x1;
    triangle_2d->y1 = triangle_3d.z1;
    triangle_2d->x2 = triangle_3d.x2;
    triangle_2d->y2 = triangle_3d.z2;
    triangle_2d->z = triangle_3d.y0 / 3 + triangle_3d.y1 / 3 + triangle_3d.y2 / 3;
  }
}
void rasterize(bit8 tri[NUM_3D_TRI][9], bit8 corner[NUM_3D_TRI], bit8 depth[NUM_3D_TRI], int angle) {
TRIANGLES:
  for (int i = 0; i < NUM_3D_TRI; i++) {
    Triangle_3D t = {tri[i][0], tri[i][1], tri[i][2], tri[i][3], tri[i][4], tri[i][5], tri[i][6], tri[i][7], tri[i][8]};
    Triangle_2D p = {0, 0, 0, 0, 0, 0, 0};
    projection(t, &p, angle & 1);
    corner[i] = find_min(p.x0, p.x1, p.x2);
    depth[i] = p.z;
  }
}
