// Vectors of hlslib, by the vendor's.
#ifndef STREAMOPT_HLSLIB_DATAPACK_H
#define STREAMOPT_HLSLIB_DATAPACK_H
namespace hlslib {
template <typename T, int WIDTH> using DataPack = hls::vector<T, WIDTH>;
}
#endif
