// hls::vector for C simulation: as many elements as a word of a memory port has room for.
//
// The vendor's header of the same name is used instead when a design goes to hardware.

#ifndef STREAMOPT_HLS_VECTOR
#define STREAMOPT_HLS_VECTOR

#include <cstddef>

namespace hls {

template <typename T, std::size_t COUNT> class alignas(sizeof(T) * COUNT) vector {
    static_assert((COUNT & (COUNT - 1)) == 0, "a word of a port has a power of two of elements");

  public:
    T &operator[](std::size_t at) { return elements_[at]; }
    const T &operator[](std::size_t at) const { return elements_[at]; }

  private:
    T elements_[COUNT];
};

} // namespace hls

#endif
