/* RGB to HSV, pixels as structures of bytes in words of 32 bits */
#include "ap_int.h"
#define WIDTH 8
#define HEIGHT 4
#define DATA_SIZE 4
typedef unsigned char uchar;
struct RGBcolor { uchar r, g, b, pad; };
struct HSVcolor { uchar h, s, v, pad; };
typedef ap_uint<32> packed;

HSVcolor rgb2hsv(RGBcolor in) {
  HSVcolor hsv;
  uchar rgb_min = in.r < in.g ? (in.r < in.b ? in.r : in.b) : (in.g < in.b ? in.g : in.b);
  uchar rgb_max = in.r > in.g ? (in.r > in.b ? in.r : in.b) : (in.g > in.b ? in.g : in.b);
  hsv.v = rgb_max;
  hsv.h = 0;
  hsv.s = 0;
  hsv.pad = 0;
  if (hsv.v != 0) {
    hsv.s = 255 * (long)(rgb_max - rgb_min) / hsv.v;
    if (hsv.s != 0) {
      if (rgb_max == in.r) hsv.h = 0 + 43 * (in.g - in.b) / (rgb_max - rgb_min);
      else if (rgb_max == in.g) hsv.h = 85 + 43 * (in.b - in.r) / (rgb_max - rgb_min);
      else hsv.h = 171 + 43 * (in.r - in.g) / (rgb_max - rgb_min);
    }
  }
  return hsv;
}
extern "C" void rgb_to_hsv(packed in[WIDTH * HEIGHT], packed out[WIDTH * HEIGHT]) {
  packed buf[DATA_SIZE];
  for (int i = 0; i < WIDTH * HEIGHT; i += DATA_SIZE) {
  read:
    for (int j = 0; j < DATA_SIZE; j++) buf[j] = in[i + j];
  conv:
    for (int j = 0; j < DATA_SIZE; j++) {
#pragma HLS PIPELINE
      RGBcolor c;
      c.r = buf[j].range(7, 0);
      c.g = buf[j].range(15, 8);
      c.b = buf[j].range(23, 16);
      HSVcolor h = rgb2hsv(c);
      buf[j] = (packed(h.v) << 16) | (packed(h.s) << 8) | packed(h.h);
    }
  write:
    for (int j = 0; j < DATA_SIZE; j++) out[i + j] = buf[j];
  }
}
