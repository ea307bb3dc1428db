/* nearest neighbour image scaler of the face detection */
#include <stdio.h>
#define IMAGE_HEIGHT 20
#define IMAGE_WIDTH 24
#define SCALE_NUM 10
#define SCALE_DEN 12
typedef struct MyPoint { int x; int y; } MyPoint;
typedef struct { int width; int height; } MySize;

int myRound(float value) {
  return (int)(value + (value >= 0 ? 0.5 : -0.5));
}

void imageScaler(int src_height, int src_width, unsigned char Data[IMAGE_HEIGHT][IMAGE_WIDTH],
                 int dst_height, int dst_width, unsigned char IMG1_data[IMAGE_HEIGHT][IMAGE_WIDTH]) {
  int y;
  int j;
  int x;
  int i;
  unsigned char *t;
  unsigned char *p;
  int w1 = src_width;
  int h1 = src_height;
  int w2 = dst_width;
  int h2 = dst_height;
  int rat = 0;
  int x_ratio = (int)((w1 << 16) / w2) + 1;
  int y_ratio = (int)((h1 << 16) / h2) + 1;

  imageScalerL1: for (i = 0; i < IMAGE_HEIGHT; i++) {
    imageScalerL1_1: for (j = 0; j < IMAGE_WIDTH; j++) {
#pragma HLS pipeline
      if (j < w2 && i < h2)
        IMG1_data[i][j] = Data[(i * y_ratio) >> 16][(j * x_ratio) >> 16];
    }
  }
}

void scale(unsigned char Data[IMAGE_HEIGHT][IMAGE_WIDTH], unsigned char IMG1_data[IMAGE_HEIGHT][IMAGE_WIDTH]) {
  const float factor = (float)SCALE_DEN / SCALE_NUM;
  MySize sz;
  sz.width = (int)(IMAGE_WIDTH / 1.2f);
  sz.height = (int)(IMAGE_HEIGHT / 1.2f);
  imageScaler(IMAGE_HEIGHT, IMAGE_WIDTH, Data, sz.height, sz.width, IMG1_data);
}
