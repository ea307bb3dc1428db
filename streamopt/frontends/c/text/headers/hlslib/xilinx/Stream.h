// Streams and dataflow of hlslib, by the vendor's streams.
#ifndef STREAMOPT_HLSLIB_STREAM_H
#define STREAMOPT_HLSLIB_STREAM_H
#include <hls_stream.h>
namespace hlslib {
template <typename T, int DEPTH = 0> using Stream = hls::stream<T, DEPTH>;
}
#define Push write
#define Pop read
#define ReadBlocking read
#define WriteBlocking write
#define HLSLIB_DATAFLOW_INIT()
#define HLSLIB_DATAFLOW_FINALIZE()
#define HLSLIB_DATAFLOW_FUNCTION(function, ...) function(__VA_ARGS__)
#endif
