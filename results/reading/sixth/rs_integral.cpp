#include <stdio.h>
#define IMAGE_HEIGHT 10
#define IMAGE_WIDTH 12
#define WINDOW_SIZE 5
typedef unsigned char uchar;

static int int_sqrt(int value)
{
  int i;
  unsigned int a = 0, b = 0, c = 0;
  for ( i = 0 ; i < (32 >> 1) ; i++ )
  {
    c <<= 2;
    #define UPPERBITS(value) (value>>30)
    c += UPPERBITS(value);
    #undef UPPERBITS
    value <<= 2;
    a <<= 1;
    b = (a<<1) | 1;
    if ( c >= b )
    {
      c -= b;
      a++;
    }
  }
  return a;
}

extern "C" void windows(uchar Data[IMAGE_HEIGHT][IMAGE_WIDTH], int stddev[IMAGE_HEIGHT][IMAGE_WIDTH])
{
  static int coord[WINDOW_SIZE];
  int I[WINDOW_SIZE][WINDOW_SIZE];
  unsigned int sum[IMAGE_WIDTH];
  int u, v, y, x;

  Initialize: for ( u = 0; u < WINDOW_SIZE; u++ ) {
    coord[u] = 0;
    for ( v = 0; v < WINDOW_SIZE; v++ )
      I[u][v] = 0;
  }
  for ( x = 0; x < IMAGE_WIDTH; x++ ) sum[x] = 0;

  Pixely: for ( y = 0; y < IMAGE_HEIGHT; y++ ) {
    Pixelx: for ( x = 0; x < IMAGE_WIDTH; x++ ) {
      #pragma HLS PIPELINE
      for ( u = 0; u < WINDOW_SIZE; u++ )
        for ( v = 0; v < WINDOW_SIZE - 1; v++ )
          I[u][v] = I[u][v + 1];
      for ( u = 0; u < WINDOW_SIZE - 1; u++ )
        I[u][WINDOW_SIZE - 1] = I[u + 1][WINDOW_SIZE - 1];
      sum[x] += Data[y][x];
      I[WINDOW_SIZE - 1][WINDOW_SIZE - 1] = sum[x];
      coord[y % WINDOW_SIZE] += I[2][2];
      stddev[y][x] = int_sqrt(I[WINDOW_SIZE - 1][WINDOW_SIZE - 1] * 7 + coord[x % WINDOW_SIZE] % 50);
    }
  }
}
