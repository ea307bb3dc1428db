#include <ap_int.h>
typedef ap_uint<8> bit8;
typedef ap_uint<32> bit32;
typedef struct { bit8 x0, y0, z0, x1, y1, z1, x2, y2, z2; } Triangle_3D;
typedef struct { bit8 x0, y0, x1, y1, x2, y2, z; } Triangle_2D;
#define NUM 24

static void projection(Triangle_3D t3, Triangle_2D *t2, ap_uint<2> angle) {
#pragma HLS INLINE off
  switch (angle) {
  case 0:
    t2->x0 = t3.x0; t2->y0 = t3.y0; t2->x1 = t3.x1; t2->y1 = t3.y1; t2->x2 = t3.x2; t2->y2 = t3.y2;
    t2->z = t3.z0 / 3 + t3.z1 / 3 + t3.z2 / 3;
    break;
  case 1:
    t2->x0 = t3.x0; t2->y0 = t3.z0; t2->x1 = t3.x1; t2->y1 = t3.z1; t2->x2 = t3.x2; t2->y2 = t3.z2;
    t2->z = t3.y0 / 3 + t3.y1 / 3 + t3.y2 / 3;
    break;
  default:
    t2->x0 = t3.z0; t2->y0 = t3.y0; t2->x1 = t3.z1; t2->y1 = t3.y1; t2->x2 = t3.z2; t2->y2 = t3.y2;
    t2->z = t3.x0 / 3 + t3.x1 / 3 + t3.x2 / 3;
    break;
  }
}

void boxes(bit32 input[3 * NUM], bit8 angle, bit32 output[NUM], bit8 depth[NUM]) {
TRIANGLES:
  for (bit8 i = 0; i < NUM; i++) {
    bit32 lo = input[3 * i], mi = input[3 * i + 1], hi = input[3 * i + 2];
    Triangle_3D t3;
    Triangle_2D t2;
    t3.x0 = lo(7, 0);
    t3.y0 = lo(15, 8);
    t3.z0 = lo(23, 16);
    t3.x1 = lo(31, 24);
    t3.y1 = mi(7, 0);
    t3.z1 = mi(15, 8);
    t3.x2 = mi(23, 16);
    t3.y2 = mi(31, 24);
    t3.z2 = hi(7, 0);
    projection(t3, &t2, angle(1, 0));
    int cw = (t2.x2 - t2.x0) * (t2.y1 - t2.y0) - (t2.y2 - t2.y0) * (t2.x1 - t2.x0);
    bit8 minx = t2.x0, maxx = t2.x0, miny = t2.y0, maxy = t2.y0;
    if (t2.x1 < minx) minx = t2.x1;
    if (t2.x2 < minx) minx = t2.x2;
    if (t2.x1 > maxx) maxx = t2.x1;
    if (t2.x2 > maxx) maxx = t2.x2;
    if (t2.y1 < miny) miny = t2.y1;
    if (t2.y2 < miny) miny = t2.y2;
    if (t2.y1 > maxy) maxy = t2.y1;
    if (t2.y2 > maxy) maxy = t2.y2;
    bit32 box = 0;
    if (cw != 0) {
      box(7, 0) = minx;
      box(15, 8) = maxx;
      box(23, 16) = miny;
      box(31, 24) = maxy;
    }
    output[i] = box;
    depth[i] = cw < 0 ? t2.z : bit8(255 - t2.z);
  }
}
