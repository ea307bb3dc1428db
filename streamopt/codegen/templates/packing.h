// Where an element of an array stands among the words that the kernel moves.
//
// The kernel takes the elements of one iteration of its tile loops at once. They stand next to each
// other, those of the next iteration behind them; an iteration takes up `stride` elements. An array
// in several memories has `part` of these elements in each; here one memory comes after the other.
// Elements of 1, 2 or 4 bits share bytes, the first in the lowest bits.

#ifndef STREAMOPT_PACKING_H
#define STREAMOPT_PACKING_H

#include <cstddef>
#include <vector>

struct Packing {
    std::vector<std::size_t> extents; // of the array
    std::vector<std::size_t> order;   // dimensions, that of the outermost tile loop first
    std::vector<std::size_t> lanes;   // elements of an iteration along each dimension
    std::size_t stride, part;
    std::size_t room; // elements of one memory

    std::size_t size() const {
        std::size_t count = 1;
        for (std::size_t extent : extents)
            count *= extent;
        return count;
    }

    std::size_t place(std::size_t flat) const {
        std::vector<std::size_t> index(extents.size());
        for (std::size_t at = extents.size(); at-- > 0; flat /= extents[at])
            index[at] = flat % extents[at];
        std::size_t iteration = 0, lane = 0;
        for (std::size_t at : order) {
            const std::size_t tiles = (extents[at] + lanes[at] - 1) / lanes[at];
            iteration = iteration * tiles + index[at] / lanes[at];
            lane = lane * lanes[at] + index[at] % lanes[at];
        }
        return lane / part * room + iteration * stride + lane % part;
    }
};

template <typename T> void pack(const T *array, T *words, const Packing &packing) {
    for (std::size_t flat = 0, size = packing.size(); flat < size; flat++)
        words[packing.place(flat)] = array[flat];
}

template <typename T> void unpack(const T *words, T *array, const Packing &packing) {
    for (std::size_t flat = 0, size = packing.size(); flat < size; flat++)
        array[flat] = words[packing.place(flat)];
}

template <int BITS, typename T>
void pack_bits(const T *array, unsigned char *words, const Packing &packing) {
    const unsigned mask = (1u << BITS) - 1;
    for (std::size_t flat = 0, size = packing.size(); flat < size; flat++) {
        const std::size_t place = packing.place(flat), shift = place * BITS % 8;
        const unsigned own = static_cast<unsigned>(static_cast<int>(array[flat])) & mask;
        unsigned char &byte = words[place * BITS / 8];
        byte = static_cast<unsigned char>((byte & ~(mask << shift)) | own << shift);
    }
}

template <int BITS, typename T>
void unpack_bits(const unsigned char *words, T *array, const Packing &packing) {
    for (std::size_t flat = 0, size = packing.size(); flat < size; flat++) {
        const std::size_t place = packing.place(flat);
        array[flat] = T(words[place * BITS / 8] >> place * BITS % 8);
    }
}

#endif
