#include "hls_task.h"
#include "hls_stream.h"
#define TOTAL 16
void scale(hls::stream<int> &in, hls::stream<int> &out) {
  int v = in.read();
  out.write(v * 3);
}
void offset(hls::stream<int> &in, hls::stream<int> &out) {
  int v = in.read();
  out.write(v + 11);
}
void write_in(const int in[TOTAL], hls::stream<int> &s) {
  for (int i = 0; i < TOTAL; i++) s.write(in[i]);
}
void read_out(hls::stream<int> &s, int out[TOTAL]) {
  for (int i = 0; i < TOTAL; i++) out[i] = s.read();
}
void chain(const int in[TOTAL], int out[TOTAL]) {
#pragma HLS dataflow
  hls_thread_local hls::stream<int> s1, s2, s3;
  write_in(in, s1);
  hls_thread_local hls::task t1(scale, s1, s2);
  hls_thread_local hls::task t2(offset, s2, s3);
  read_out(s3, out);
}
