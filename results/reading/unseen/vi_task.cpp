#include "hls_task.h"
#include "hls_stream.h"
void splitter(hls::stream<int> &in, hls::stream<int> &odds_buf, hls::stream<int> &evens_buf) {
  static int turn = 0;
  int data = in.read();
  if (turn % 2 == 0)
    evens_buf.write(data);
  else
    odds_buf.write(data);
  turn++;
}
void odds(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read() + 1); }
void evens(hls::stream<int> &in, hls::stream<int> &out) { out.write(in.read() + 2); }
void odds_and_evens(hls::stream<int> &in, hls::stream<int> &out1, hls::stream<int> &out2) {
  hls_thread_local hls::stream<int> s1;
  hls_thread_local hls::stream<int> s2;
  hls_thread_local hls::task t1(splitter, in, s1, s2);
  hls_thread_local hls::task t2(odds, s1, out1);
  hls_thread_local hls::task t3(evens, s2, out2);
}
