// Arrays as the source has them to the words of an engine, and back.

#ifndef STREAMOPT_ENGINE_PACKING
#define STREAMOPT_ENGINE_PACKING

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

// How the weights of a layer are taken from their array, tile by tile.
struct LayerWeights {
    int groups, tiles, tile, outputs;            // channels of a group in tiles
    int beside, parts, together;                 // sums of a channel; positions that leave at once
    int run_rows, run_columns, run, width;       // stretches of a window
    int depth, columns;                          // of the window, for stretches that have both
    int is_row, is_whole, is_lanes, is_flat, channels;
    long strides[5], offset;                     // of group, output, depth, row, column
};

// A constant of each channel.
struct LayerParameter {
    long stride, offset;
};

struct EngineWords {
    int depth, word, lanes, drain, pending, share, shares, channels, weight_bytes, word_bytes;
    std::vector<std::vector<char>> parts; // a channel after the other
    std::size_t count;

    void begin() {
        parts.assign(channels, std::vector<char>());
        count = 0;
    }
    // One word, cut into the beats of every channel.
    void add(const std::vector<char> &bytes) {
        const std::size_t size = std::size_t(share) * shares * weight_bytes;
        for (int channel = 0; channel < channels; channel++)
            for (std::size_t i = 0; i < size; i++) {
                const std::size_t at = channel * size + i;
                parts[channel].push_back(at < bytes.size() ? bytes[at] : 0);
            }
        count++;
    }
};

// Where the output of a lane is: the channel of the group, or -1 for none.
inline int output_of(const LayerWeights &layer, int tile, int lane) {
    const int own = layer.is_lanes ? lane : lane % layer.tile;
    const int output = tile * layer.tile + own;
    if (!layer.is_lanes)
        return lane < layer.tile * layer.beside * layer.parts && output < layer.outputs ? output : -1;
    const int all = layer.is_flat ? layer.outputs : layer.channels;
    return lane < layer.tile && output < all ? output % layer.channels : -1;
}

// The element of the weights for one product; -1 where there is none.
inline long weight_at(const LayerWeights &layer, int group, int tile, int run_row, int run_column,
                      int chunk, int lane, int at) {
    const int output = output_of(layer, tile, lane);
    const int part = lane / layer.tile % layer.parts;
    const int in_run = chunk * layer.width + part * (layer.width / layer.parts) + at;
    if (output < 0 || in_run >= layer.run)
        return -1;
    int row = run_row, column = run_column, depth = in_run;
    if (layer.is_row) {
        depth = in_run % layer.depth;
        column = in_run / layer.depth;
    }
    if (layer.is_whole) {
        row = column / layer.columns;
        column %= layer.columns;
    }
    const long *s = layer.strides;
    if (layer.is_lanes)
        return layer.offset + output * s[0] + row * s[3] + column * s[4];
    return layer.offset + group * s[0] + output * s[1] + depth * s[2] + row * s[3] + column * s[4];
}

// A constant as the four bytes of a word.
template <typename T> std::int32_t bytes_of(T value) { return static_cast<std::int32_t>(value); }
inline std::int32_t bytes_of(float value) {
    std::int32_t bytes;
    std::memcpy(&bytes, &value, 4);
    return bytes;
}

template <typename T>
void pack_parameter(EngineWords &words, const LayerWeights &layer, int group, int tile,
                    const T *values, const LayerParameter &parameter) {
    const int each = words.word_bytes / 4;
    const int group_lanes =
        layer.is_lanes ? layer.tile : (layer.tile + words.drain - 1) / words.drain * words.drain;
    for (int first = 0; first < words.pending; first += each) {
        std::vector<char> bytes(words.word_bytes);
        for (int i = 0; i < each && first + i < words.pending; i++) {
            const int neighbour = (first + i) / group_lanes, own = (first + i) % group_lanes;
            const bool is_one = layer.together == 1;
            const int lanes = is_one ? layer.tile : layer.together * layer.outputs;
            const bool is_lane = own < lanes && neighbour < layer.beside / layer.together;
            const int output =
                is_lane ? output_of(layer, tile, is_one ? own : own % layer.outputs) : -1;
            std::int32_t value = 0;
            if (output >= 0) {
                const int channel = layer.is_lanes ? output : group * layer.outputs + output;
                value = bytes_of(values[parameter.offset + channel * parameter.stride]);
            }
            std::memcpy(bytes.data() + 4 * i, &value, 4);
        }
        words.add(bytes);
    }
}

template <typename T>
void pack_weights(EngineWords &words, const LayerWeights &layer, int group, int tile,
                  const T *values) {
    const int chunks = (layer.run + layer.width - 1) / layer.width;
    for (int row = 0; row < layer.run_rows; row++)
        for (int column = 0; column < layer.run_columns; column++)
            for (int chunk = 0; chunk < chunks; chunk++) {
                std::vector<char> bytes(words.word_bytes);
                for (int i = 0; i < words.word; i++) {
                    const int lane = layer.is_lanes ? i : i / words.depth;
                    const int at = layer.is_lanes ? 0 : i % words.depth;
                    if (layer.is_lanes && i >= words.lanes)
                        break;
                    const long from =
                        weight_at(layer, group, tile, row, column, chunk, lane, at);
                    if (from >= 0)
                        std::memcpy(bytes.data() + sizeof(T) * i, values + from, sizeof(T));
                }
                words.add(bytes);
            }
}

// A map in rows, positions and channels.
template <typename T, typename To>
void pack_map(const T *values, To *to, int rows, int columns, int channels, long row_stride,
              long column_stride, long channel_stride) {
    std::size_t at = 0;
    for (int row = 0; row < rows; row++)
        for (int column = 0; column < columns; column++)
            for (int channel = 0; channel < channels; channel++)
                to[at++] = static_cast<To>(values[row * row_stride + column * column_stride +
                                                  channel * channel_stride]);
}

// How the results of a layer leave: blocks of positions, some channels at a time.
struct LayerResults {
    int groups, tiles, tile, outputs, rows, blocks, slots, chunks, drain;
    int columns, is_lanes, is_flat, channels;
    long row_stride, column_stride, channel_stride;
};

template <typename From, typename T>
void unpack_results(const From *&from, T *values, const LayerResults &layer) {
    for (int group = 0; group < layer.groups; group++)
        for (int tile = 0; tile < layer.tiles; tile++)
            for (int row = 0; row < layer.rows; row++)
                for (int block = 0; block < layer.blocks; block++)
                    for (int slot = 0; slot < layer.slots; slot++)
                        for (int lane = 0; lane < layer.chunks * layer.drain; lane++) {
                            const auto value = *from++;
                            const int at = (tile + (layer.is_flat ? block : 0)) * layer.tile + lane;
                            int column = block * layer.slots + slot;
                            int channel = layer.is_lanes ? at : group * layer.outputs + at;
                            bool is_there = lane < layer.tile && column < layer.columns;
                            is_there &= layer.is_lanes || at < layer.outputs;
                            if (layer.is_flat) {
                                is_there = lane < layer.tile;
                                column = at / layer.channels;
                                channel = at % layer.channels;
                            }
                            if (is_there && column < layer.columns && channel < layer.channels)
                                values[row * layer.row_stride + column * layer.column_stride +
                                       channel * layer.channel_stride] = static_cast<T>(value);
                        }
}

#endif
