#define FFT_SIZE 32
#define LOG 5
void fft(double real[FFT_SIZE], double img[FFT_SIZE], double real_twid[FFT_SIZE / 2], double img_twid[FFT_SIZE / 2]) {
  int le = FFT_SIZE, windex = 1, l, i, j;
  stages : for (l = 0; l < LOG; l++) {
    le = le / 2;
    int rootindex = 0;
    butterfly : for (j = 0; j < le; j++) {
      double wr = real_twid[rootindex], wi = img_twid[rootindex];
      groups : for (i = j; i < FFT_SIZE; i += 2 * le) {
        double tr = real[i] + real[i + le], ti = img[i] + img[i + le];
        double ur = real[i] - real[i + le], ui = img[i] - img[i + le];
        real[i] = tr;
        img[i] = ti;
        real[i + le] = ur * wr - ui * wi;
        img[i + le] = ur * wi + ui * wr;
      }
      rootindex += windex;
    }
    windex = 2 * windex;
  }
}
