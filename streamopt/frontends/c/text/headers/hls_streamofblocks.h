#ifndef STREAMOPT_HLS_STREAMOFBLOCKS_H
#define STREAMOPT_HLS_STREAMOFBLOCKS_H
#include <hls_stream.h>
template <typename T> struct block_of {
    T v;
};
namespace hls {
template <typename T, int N = 2> using stream_of_blocks = hls::stream<block_of<T>, N>;
}
#endif
