#include <ap_int.h>
#define LEN 40
// average of the last eight values, and the largest of their differences
void ave8(ap_uint<8> in_data[LEN], ap_uint<8> ave_out[LEN], ap_int<9> &spread) {
  ap_uint<8> buffer[8];
  ap_int<9> most = 0;
  int i, n;
  for (i = 0; i < 8; i++) buffer[i] = 0;
  for (n = 0; n < LEN; n++) {
    ap_uint<11> sum = 0;
    for (i = 7; i > 0; i--) buffer[i] = buffer[i - 1];
    buffer[0] = in_data[n];
    sum = buffer[0];
    for (i = 1; i < 8; i++) sum += buffer[i];
    ave_out[n] = sum >> 3;
    ap_int<9> diff = buffer[0] - buffer[7];
    most = diff > most ? diff : most;
  }
  spread = most;
}
