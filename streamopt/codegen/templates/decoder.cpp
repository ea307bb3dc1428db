#include "@{top}.h"
#include <algorithm>
#include <cstdint>
#include <hls_stream.h>

// A language model: the hardware of one layer, which all layers share. Words of weights, keys and
// values come over many channels at once, in the order of use.

static const int LAYERS = @{layers};
static const int FEATURES = @{features};
static const int HEADS = @{heads};
static const int GROUPS = @{groups};    // of heads that see the same keys
static const int QUERY_HEADS = HEADS / GROUPS;
static const int HEAD = @{head_features};      // features of a head
static const int HIDDEN = @{hidden};
static const int VOCABULARY = @{vocabulary};
static const int CONTEXT = @{context};   // positions
static const bool IS_RMS = @{is_rms};
static const bool IS_GATED = @{is_gated};
static const bool IS_ROTARY = @{is_rotary};

static const int OUTPUTS = @{outputs};   // sums of a position at work
static const int DEPTH = @{depth};     // products of a sum in a cycle
static const int POSITIONS = @{positions}; // that share a word of weights
static const int QUERIES = @{queries};   // positions that share a word of keys
static const int LANES = @{lanes};     // features of a position in norms, and leaving an attention
static const int ROWS = @{rows};      // positions of a chunk
static const int WORD = CHANNELS * SHARE;
static const int KEYS = WORD / HEAD; // of a word
static const int PAIR_WORDS = @{pair_words};
static const int DRAIN_CYCLES = (OUTPUTS + DRAIN - 1) / DRAIN;
static const int KEPT_WORDS = @{kept_words};
static const int HEAD_WORDS = @{head_words};
static const int LAYER_WORDS = @{layer_words};
static const int ANSWER_WORDS = @{answer_words};
static const int CONTEXT_WORDS = (CONTEXT + KEYS - 1) / KEYS;
static const int OWN_WORDS = @{own_words};
static const int WEIGHT_WORDS = LAYERS * LAYER_WORDS + ANSWER_WORDS;

static const int BLOCKS = (ROWS + POSITIONS - 1) / POSITIONS;
static const int INNER = std::max(FEATURES, HEADS * HEAD);
static const int PENDING = DRAIN_CYCLES * DRAIN;
static const std::int64_t RECIPROCAL = @{reciprocal}LL; // 2^32 / FEATURES

struct Word {
    std::uint8_t at[WORD];
};

// A matrix: the parts of its outputs, the words of each, and where its results go.
struct Matrix {
    int outputs, inputs, tiles, words;
};
enum Target { TO_QUERIES, TO_RESIDUAL, TO_HIDDEN, BACK_TO_RESIDUAL, TO_VOCABULARY };
static const Matrix MATRICES[5] = {
@{matrices}};
static const int INNER_WORDS = @{inner_words}; // of the first matrix of a layer

// 2^(16 - i / 256) - 1
static const int POWERS[256] = {
@{powers}};

typedef hls::stream<Share, @{fifo_words}> ShareStream;
typedef hls::stream<Share, @{stored_words}> StoredStream;
typedef std::int8_t Inner[POSITIONS][BLOCKS * INNER];
typedef std::int8_t Own[KEYS][2 * GROUPS * OWN_WORDS][HEAD];

// What a layer has beside its matrices.
struct Head {
    std::int32_t numbers[16];
    std::int8_t table[256];
    std::int32_t gains[2][FEATURES], offsets[2][FEATURES];
};

struct Chunk {
    int start, rows;
};

static std::int64_t narrowed(std::int64_t value, int bits) {
#pragma HLS inline
    const std::int64_t most = (std::int64_t(1) << (bits - 1)) - 1;
    return std::min(std::max(value, -most), most);
}

static std::int64_t rounded(std::int64_t value, int shift) {
#pragma HLS inline
    return (value + (std::int64_t(1) << (shift - 1))) >> shift;
}

// Two products with a factor in common, in one multiplier of 27 by 18 bits.
static void two_products(int common, int first, int second, int &one, int &other) {
#pragma HLS inline
    const std::int64_t both = ((std::int64_t(second) << 18) + first) * common;
    const int low = int(std::uint32_t(both) << 14) >> 14;
    one = low;
    other = int((both - low) >> 18);
}

static int own_words(const Chunk &chunk, int row) {
#pragma HLS inline
    return (chunk.start + row) / KEYS - chunk.start / KEYS + 1;
}

static int context_word(int layer, int kind) {
#pragma HLS inline
    return WEIGHT_WORDS + (layer * 2 + kind) * CONTEXT_WORDS * GROUPS;
}

// The next chunk: a part of the prompt, or the answer before.
static Chunk chunk_at(int start, int prompt) {
#pragma HLS inline
    return Chunk{start, start < prompt ? std::min(ROWS, prompt - start) : 1};
}

static void read_words(const Share *memory, int first, int count, ShareStream &to) {
#pragma HLS inline
    for (int word = 0; word < count; word++) {
#pragma HLS pipeline II=1
        to.write(memory[first + word]);
    }
}

// What a channel has of all words, in the order of use.
static void move(const Share *memory, int prompt, int answers, ShareStream &to) {
    for (int start = 0; start < prompt + answers - 1;) {
        const Chunk chunk = chunk_at(start, prompt);
        const int past = (start + KEYS - 1) / KEYS;
        for (int layer = 0; layer < LAYERS; layer++) {
            const int weights = layer * LAYER_WORDS, first_words = HEAD_WORDS + INNER_WORDS;
            read_words(memory, weights, first_words, to);
            for (int first = 0; first < chunk.rows; first += QUERIES)
                for (int kind = 0; kind < 2; kind++)
                    read_words(memory, context_word(layer, kind), past * GROUPS, to);
            read_words(memory, weights + first_words, LAYER_WORDS - first_words, to);
        }
        start += chunk.rows;
        if (start >= prompt)
            read_words(memory, LAYERS * LAYER_WORDS, ANSWER_WORDS, to);
    }
}

// Keeps the keys and values of a channel's lane.
static void keep(Share *memory, int channel, int prompt, int answers, StoredStream &from) {
    const int lane = channel * SHARE / HEAD;
    for (int start = 0; start < prompt + answers - 1;) {
        const Chunk chunk = chunk_at(start, prompt);
        const int own = own_words(chunk, chunk.rows - 1);
        for (int layer = 0; layer < LAYERS; layer++)
            for (int kind = 0; kind < 2; kind++)
                for (int word = 0; word < own; word++)
                    for (int group = 0; group < GROUPS; group++) {
#pragma HLS pipeline II=1
                        const int in_context = start / KEYS + word;
                        const int position = in_context * KEYS + lane;
                        if (position >= start && position < start + chunk.rows)
                            memory[context_word(layer, kind) + in_context * GROUPS + group] =
                                from.read();
                    }
        start += chunk.rows;
    }
}

static Word next_word(ShareStream (&shares)[CHANNELS]) {
#pragma HLS inline
    Word word;
    for (int channel = 0; channel < CHANNELS; channel++) {
#pragma HLS unroll
        const Share share = shares[channel].read();
        for (int i = 0; i < SHARE; i++) {
#pragma HLS unroll
            word.at[channel * SHARE + i] = share[i];
        }
    }
    return word;
}

static std::int32_t number_in(const Word &word, int at) {
#pragma HLS inline
    std::uint32_t value = 0;
    for (int byte = 0; byte < 4; byte++) {
#pragma HLS unroll
        value |= std::uint32_t(word.at[4 * at + byte]) << (8 * byte);
    }
    return std::int32_t(value);
}

// Numbers of 4 bytes: 16 numbers, 64 of the table, and pairs of gain and offset of both norms.
static void read_head(Head &head, ShareStream (&shares)[CHANNELS]) {
    for (int number = 0; number < HEAD_WORDS; number++) {
#pragma HLS pipeline II=1
        const Word word = next_word(shares);
        for (int i = 0; i < WORD / 4; i++) {
#pragma HLS unroll
            const int at = number * (WORD / 4) + i;
            const std::int32_t value = number_in(word, i);
            if (at < 16) {
                head.numbers[at] = value;
            } else if (at < 80) {
                for (int byte = 0; byte < 4; byte++)
                    head.table[4 * (at - 16) + byte] = std::int8_t(word.at[4 * i + byte]);
            } else if (at < 80 + 4 * FEATURES) {
                const int pair = (at - 80) / 2, norm = pair / FEATURES;
                if ((at - 80) % 2 == 0)
                    head.gains[norm][pair % FEATURES] = value;
                else
                    head.offsets[norm][pair % FEATURES] = value;
            }
        }
    }
}

static std::int64_t root_of(std::uint64_t value) {
#pragma HLS pipeline II=1
    std::uint64_t rest = value, root = 0;
    for (int bit = 31; bit >= 0; bit--) {
#pragma HLS unroll
        const std::uint64_t step = std::uint64_t(1) << (2 * bit);
        const bool is_in = rest >= root + step;
        rest -= is_in ? root + step : 0;
        root = (root >> 1) + (is_in ? step : 0);
    }
    return std::int64_t(root);
}

static void norm(int which, int first, int rows, const Head &head,
                 const std::int32_t (&residual)[POSITIONS][BLOCKS * FEATURES], Inner &inner) {
    static std::int64_t sums[POSITIONS][BLOCKS], squares[POSITIONS][BLOCKS];
    static std::int64_t means[POSITIONS][BLOCKS], factors[POSITIONS][BLOCKS];
#pragma HLS array_partition variable=sums type=complete dim=1
#pragma HLS array_partition variable=squares type=complete dim=1
#pragma HLS array_partition variable=means type=complete dim=1
#pragma HLS array_partition variable=factors type=complete dim=1
    const int blocks = (rows + POSITIONS - 1) / POSITIONS;
    const int walk = (FEATURES + LANES - 1) / LANES;
    for (int block = 0; block < blocks; block++)
        for (int part = 0; part < walk; part++) {
#pragma HLS pipeline II=1
            for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
                std::int64_t sum = 0, square = 0;
                const int row = first + block * POSITIONS + position;
                for (int i = 0; i < LANES; i++) {
#pragma HLS unroll
                    const int at = part * LANES + i;
                    const bool is_there = at < FEATURES && block * POSITIONS + position < rows;
                    const std::int64_t x =
                        is_there ? residual[row % POSITIONS][row / POSITIONS * FEATURES + at] : 0;
                    sum += x;
                    square += x * x;
                }
                sums[position][block] = sum + (part == 0 ? 0 : sums[position][block]);
                squares[position][block] = square + (part == 0 ? 0 : squares[position][block]);
            }
        }
    const std::int64_t epsilon = std::int64_t(std::uint64_t(std::uint32_t(head.numbers[7])) |
                                              std::uint64_t(head.numbers[8]) << 32);
    for (int row = 0; row < rows; row++) {
#pragma HLS pipeline II=1
        const std::int64_t sum = sums[row % POSITIONS][row / POSITIONS];
        const std::int64_t mean = IS_RMS ? 0 : (sum * RECIPROCAL) >> 32;
        const std::int64_t around =
            squares[row % POSITIONS][row / POSITIONS] - 2 * mean * sum + FEATURES * mean * mean;
        const std::int64_t root = root_of(std::uint64_t((around >> 16) * RECIPROCAL + epsilon));
        means[row % POSITIONS][row / POSITIONS] = mean;
        factors[row % POSITIONS][row / POSITIONS] =
            (std::int64_t(1) << 40) / std::max(root, std::int64_t(1));
    }
    for (int block = 0; block < blocks; block++)
        for (int part = 0; part < walk; part++) {
#pragma HLS pipeline II=1
            for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
                const int row = first + block * POSITIONS + position;
                for (int i = 0; i < LANES; i++) {
#pragma HLS unroll
                    const int at = part * LANES + i;
                    if (at < FEATURES && block * POSITIONS + position < rows) {
                        const std::int64_t x =
                            residual[row % POSITIONS][row / POSITIONS * FEATURES + at];
                        const std::int64_t quotient =
                            ((x - means[position][block]) * factors[position][block]) >> 16;
                        const std::int64_t wide =
                            ((quotient * head.gains[which][at]) >> 10) + head.offsets[which][at];
                        inner[position][block * INNER + at] =
                            std::int8_t(narrowed(rounded(wide, 16), 8));
                    }
                }
            }
        }
}

// Where the results of matrices go.
struct Stores {
    std::int32_t residual[POSITIONS][BLOCKS * FEATURES];
    Inner inner;
    std::int8_t hidden[POSITIONS][BLOCKS * HIDDEN];
    std::int8_t query[POSITIONS][BLOCKS * HEADS * HEAD];
    Own own;
    std::int16_t angles[ROWS][HEAD];
};

// The best answer so far.
struct Best {
    int token;
    std::int32_t logit;
};

static void put_projection(const Chunk &chunk, int row, int output, int value, Stores &to) {
#pragma HLS inline
    const int queries = HEADS * HEAD;
    if (output < queries) {
        to.query[row % POSITIONS][row / POSITIONS * queries + output] = std::int8_t(value);
        return;
    }
    const int key = output - queries; // of a key, or of a value behind all keys
    const int lane = (chunk.start + row) % KEYS;
    const int word = (chunk.start + row) / KEYS - chunk.start / KEYS;
    to.own[lane][word * 2 * GROUPS + key / HEAD][key % HEAD] = std::int8_t(value);
}

// Two neighbouring results of a row.
static void put_pair(Target target, const Head &head, const Chunk &chunk, int row, int output,
                     const std::int64_t (&values)[2], Stores &to) {
#pragma HLS inline
    if (target == TO_QUERIES) {
        const int keys_end = (HEADS + GROUPS) * HEAD;
        std::int64_t one = values[0], other = values[1];
        if (IS_ROTARY && output < keys_end) {
            const std::int64_t even = narrowed(one, 16), odd = narrowed(other, 16);
            const int at = output % HEAD;
            const std::int64_t cosine = to.angles[row][at], sine = to.angles[row][at + 1];
            one = rounded(even * cosine - odd * sine, 22);
            other = rounded(even * sine + odd * cosine, 22);
        } else if (IS_ROTARY) {
            one = rounded(one, 8);
            other = rounded(other, 8);
        }
        put_projection(chunk, row, output, int(narrowed(one, 8)), to);
        put_projection(chunk, row, output + 1, int(narrowed(other, 8)), to);
    } else if (target == TO_HIDDEN && IS_GATED) {
        const std::int64_t gate = head.table[narrowed(values[0], 8) + 128];
        const std::int64_t gated = gate * narrowed(values[1], 8) * head.numbers[6];
        to.hidden[row % POSITIONS][row / POSITIONS * HIDDEN + output / 2] =
            std::int8_t(narrowed(rounded(gated, 16), 8));
    }
}

static void put_one(Target target, const Head &head, int row, int output, std::int64_t value,
                    Stores &to) {
#pragma HLS inline
    if (target == TO_RESIDUAL || target == BACK_TO_RESIDUAL) {
        std::int32_t &own = to.residual[row % POSITIONS][row / POSITIONS * FEATURES + output];
        own = std::int32_t(narrowed(own + value, 24));
    } else if (target == TO_HIDDEN && !IS_GATED) {
        to.hidden[row % POSITIONS][row / POSITIONS * HIDDEN + output] =
            head.table[narrowed(value, 8) + 128];
    }
}

static int weight_in(const Word &word, int at) {
#pragma HLS inline
    const int two = word.at[at / 2];
    return (((at % 2 == 0 ? two : two >> 4) & 15) ^ 8) - 8;
}

static void multiply(const Word &word, const std::int8_t (&x)[POSITIONS][DEPTH], bool is_first,
                     std::int32_t (&sums)[POSITIONS][PENDING]) {
#pragma HLS inline
    for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
        for (int output = 0; output < OUTPUTS; output += 2) {
#pragma HLS unroll
            std::int32_t one = is_first ? 0 : sums[position][output];
            std::int32_t other = is_first ? 0 : sums[position][output + 1];
            for (int i = 0; i < DEPTH; i++) {
#pragma HLS unroll
                int product, next;
                two_products(x[position][i], weight_in(word, output * DEPTH + i),
                             weight_in(word, (output + 1) * DEPTH + i), product, next);
                one += product;
                other += next;
            }
            sums[position][output] = one;
            sums[position][output + 1] = other;
        }
    }
}

// All tiles of a matrix: pairs of offset and factor, then words, which the first block of positions
// brings; the results of a block leave while the next is summed.
static void run_matrix(Target target, int rows, const Chunk &chunk, const Head &head, Stores &to,
                       Best &best, Results *out, ShareStream (&shares)[CHANNELS]) {
    static Word kept[KEPT_WORDS];
#pragma HLS bind_storage variable=kept type=ram_s2p impl=@{kept_block}
    std::int32_t sums[POSITIONS][PENDING] = {}, pending[POSITIONS][PENDING] = {};
    std::int32_t offsets[PENDING] = {}, factors[PENDING] = {};
    std::int32_t pending_offsets[PENDING] = {}, pending_factors[PENDING] = {};
#pragma HLS array_partition variable=sums type=complete dim=0
#pragma HLS array_partition variable=pending type=complete dim=0
#pragma HLS array_partition variable=offsets type=complete
#pragma HLS array_partition variable=factors type=complete
#pragma HLS array_partition variable=pending_offsets type=complete
#pragma HLS array_partition variable=pending_factors type=complete
    const Matrix &matrix = MATRICES[target];
    const int blocks = (rows + POSITIONS - 1) / POSITIONS;
    const int cycles = std::max(matrix.words, DRAIN_CYCLES);
    const int shift = head.numbers[target == TO_VOCABULARY ? 0 : int(target)];
    const bool is_hidden = target == BACK_TO_RESIDUAL;
    const int size = is_hidden ? HIDDEN : INNER;
    int tile = 0, block = 0, cycle = -PAIR_WORDS;
    int left = 0, leaving_tile = 0, leaving_block = 0;
    const int iterations = matrix.tiles * (PAIR_WORDS + blocks * cycles) + DRAIN_CYCLES;
    for (int iteration = 0; iteration < iterations; iteration++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=to.residual type=inter false
        if (left > 0) {
            const int part = DRAIN_CYCLES - left;
            Results logits = {};
            for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
                const int row = leaving_block * POSITIONS + position;
                for (int i = 0; i < DRAIN; i += 2) {
#pragma HLS unroll
                    std::int64_t values[2];
                    const int lane = part * DRAIN + i;
                    const int output = leaving_tile * OUTPUTS + lane;
                    for (int k = 0; k < 2; k++) {
#pragma HLS unroll
                        const std::int64_t sum =
                            std::int64_t(pending[position][lane + k]) + pending_offsets[lane + k];
                        values[k] = rounded(sum * pending_factors[lane + k], shift);
                        const bool is_there = lane + k < OUTPUTS && output + k < matrix.outputs;
                        if (!is_there || row >= rows)
                            continue;
                        put_one(target, head, row, output + k, values[k], to);
                        if (target == TO_VOCABULARY) {
                            const std::int32_t logit = std::int32_t(narrowed(values[k], 32));
                            logits[i + k] = logit;
                            if (output + k == 0 || logit > best.logit)
                                best = Best{output + k, logit};
                        }
                    }
                    if (row < rows && lane < OUTPUTS && output < matrix.outputs)
                        put_pair(target, head, chunk, row, output, values, to);
                }
            }
            if (target == TO_VOCABULARY)
                out[leaving_tile * DRAIN_CYCLES + part] = logits;
            left--;
        }
        if (tile < matrix.tiles) {
            if (cycle < 0) {
                const Word word = next_word(shares);
                for (int i = 0; i < WORD / 8; i++) {
#pragma HLS unroll
                    const int lane = (cycle + PAIR_WORDS) * (WORD / 8) + i;
                    if (lane < OUTPUTS) {
                        offsets[lane] = number_in(word, 2 * i);
                        factors[lane] = number_in(word, 2 * i + 1);
                    }
                }
            } else if (cycle < matrix.words) {
                const Word word = block == 0 ? next_word(shares) : kept[cycle];
                if (block == 0)
                    kept[cycle] = word;
                std::int8_t x[POSITIONS][DEPTH];
#pragma HLS array_partition variable=x type=complete dim=0
                for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
                    for (int i = 0; i < DEPTH; i++) {
#pragma HLS unroll
                        const int at = cycle * DEPTH + i;
                        const std::int8_t own =
                            at >= matrix.inputs ? std::int8_t(0)
                            : is_hidden ? to.hidden[position][block * size + at]
                                        : to.inner[position][block * size + at];
                        x[position][i] = own;
                    }
                }
                multiply(word, x, cycle == 0, sums);
            }
            if (++cycle == cycles) {
                for (int lane = 0; lane < PENDING; lane++) {
#pragma HLS unroll
                    for (int position = 0; position < POSITIONS; position++) {
#pragma HLS unroll
                        pending[position][lane] = sums[position][lane];
                    }
                    pending_offsets[lane] = offsets[lane];
                    pending_factors[lane] = factors[lane];
                }
                left = DRAIN_CYCLES;
                leaving_tile = tile;
                leaving_block = block;
                const bool is_last = ++block == blocks;
                cycle = is_last ? -PAIR_WORDS : 0;
                block = is_last ? 0 : block;
                tile += is_last ? 1 : 0;
            }
        }
    }
}

// Keys and values of a chunk to the channels that keep them.
static void store(const Chunk &chunk, const Own &own, StoredStream (&stored)[CHANNELS]) {
    const int words = own_words(chunk, chunk.rows - 1);
    for (int kind = 0; kind < 2; kind++)
        for (int word = 0; word < words; word++)
            for (int group = 0; group < GROUPS; group++) {
#pragma HLS pipeline II=1
                for (int channel = 0; channel < CHANNELS; channel++) {
#pragma HLS unroll
                    const int lane = channel * SHARE / HEAD, first = channel * SHARE % HEAD;
                    const int position = (chunk.start / KEYS + word) * KEYS + lane;
                    Share share;
                    for (int i = 0; i < SHARE; i++) {
#pragma HLS unroll
                        const int at = word * 2 * GROUPS + kind * GROUPS + group;
                        share[i] = std::uint8_t(own[lane][at][first + i]);
                    }
                    if (position >= chunk.start && position < chunk.start + chunk.rows)
                        stored[channel].write(share);
                }
            }
}

static const int EVEN_KEYS = KEYS + KEYS % 2;

// Products of a word with a query (features are common to all keys) or with powers of two (keys
// are common to all features): blocks of two keys and two features have two multipliers.
static void multiply_context(bool is_values, const std::int8_t (&word)[EVEN_KEYS][HEAD],
                             const std::int8_t (&query)[HEAD], const int (&powers)[EVEN_KEYS],
                             int (&products)[EVEN_KEYS][HEAD]) {
#pragma HLS inline
    for (int key = 0; key < EVEN_KEYS; key += 2) {
#pragma HLS unroll
        for (int feature = 0; feature < HEAD; feature += 2) {
#pragma HLS unroll
            for (int second = 0; second < 2; second++) {
#pragma HLS unroll
                const int from = is_values ? second : 0, with = is_values ? 0 : second;
                const int next = is_values ? second : 1, beside = is_values ? 1 : second;
                const int common = is_values ? powers[key + second] : int(query[feature + second]);
                two_products(common, word[key + from][feature + with],
                             word[key + next][feature + beside],
                             products[key + from][feature + with],
                             products[key + next][feature + beside]);
            }
        }
    }
}

static int power_of(std::int64_t below, std::int32_t factor) {
#pragma HLS inline
    const std::int64_t exponent = (below * factor) >> 16;
    const std::int64_t whole = std::min(exponent >> 8, std::int64_t(24));
    const int power = POWERS[exponent & 255] >> whole;
    return std::min((power + 128) >> 8, 255);
}

static void attend(const Chunk &chunk, const Head &head, Stores &to,
                   ShareStream (&shares)[CHANNELS]) {
    static std::int32_t scores[QUERIES][HEADS * (CONTEXT_WORDS + 1)][KEYS];
#pragma HLS array_partition variable=scores type=complete dim=1
#pragma HLS array_reshape variable=scores type=complete dim=3
#pragma HLS bind_storage variable=scores type=ram_s2p impl=@{scores_block}
    static std::int32_t sums[QUERIES][HEADS][HEAD], largest[QUERIES][HEADS], totals[QUERIES][HEADS];
#pragma HLS array_partition variable=sums type=complete dim=1
#pragma HLS array_reshape variable=sums type=complete dim=3
#pragma HLS array_partition variable=largest type=complete dim=1
#pragma HLS array_partition variable=totals type=complete dim=1
    const int past = (chunk.start + KEYS - 1) / KEYS;
    for (int first = 0; first < chunk.rows; first += QUERIES) {
        const int last = std::min(chunk.rows, first + QUERIES) - 1;
        const int words = past + own_words(chunk, last);
        for (int kind = 0; kind < 2; kind++) {
#pragma HLS loop_flatten off
            std::int8_t word[EVEN_KEYS][HEAD] = {};
#pragma HLS array_partition variable=word type=complete dim=0
            int at = 0, one = 0; // word, and head
            for (int iteration = 0; iteration < words * HEADS; iteration++) {
#pragma HLS pipeline II=1
                const int group = one / QUERY_HEADS;
                if (one % QUERY_HEADS == 0) {
                    Word taken = {};
                    if (at < past)
                        taken = next_word(shares);
                    for (int key = 0; key < KEYS; key++) {
#pragma HLS unroll
                        for (int i = 0; i < HEAD; i++) {
#pragma HLS unroll
                            const int own = (at - past) * 2 * GROUPS + kind * GROUPS + group;
                            word[key][i] = at < past ? std::int8_t(taken.at[key * HEAD + i])
                                                     : to.own[key][own][i];
                        }
                    }
                }
                for (int query = 0; query < QUERIES; query++) {
#pragma HLS unroll
                    const int row = first + query;
                    if (row > last)
                        continue;
                    int powers[EVEN_KEYS] = {};
                    bool seen[KEYS];
                    std::int8_t own[HEAD];
                    for (int i = 0; i < HEAD; i++) {
#pragma HLS unroll
                        own[i] = to.query[row % POSITIONS]
                                         [row / POSITIONS * HEADS * HEAD + one * HEAD + i];
                    }
                    for (int key = 0; key < KEYS; key++) {
#pragma HLS unroll
                        const int place = at < past ? at : chunk.start / KEYS + at - past;
                        const int position = place * KEYS + key;
                        seen[key] = at < past ? position < chunk.start
                                              : position >= chunk.start && position <= chunk.start + row;
                        if (kind == 1 && seen[key])
                            powers[key] = power_of(std::int64_t(largest[query][one]) -
                                                       scores[query][at * HEADS + one][key],
                                                   head.numbers[4]);
                    }
                    int products[EVEN_KEYS][HEAD];
                    multiply_context(kind == 1, word, own, powers, products);
                    if (kind == 0) {
                        std::int32_t most = at == 0 ? INT32_MIN : largest[query][one];
                        for (int key = 0; key < KEYS; key++) {
#pragma HLS unroll
                            std::int32_t score = 0;
                            for (int i = 0; i < HEAD; i++) {
#pragma HLS unroll
                                score += products[key][i];
                            }
                            scores[query][at * HEADS + one][key] = score;
                            if (seen[key])
                                most = std::max(most, score);
                        }
                        largest[query][one] = most;
                    } else {
                        std::int32_t total = at == 0 ? 0 : totals[query][one];
                        for (int key = 0; key < KEYS; key++) {
#pragma HLS unroll
                            total += powers[key];
                        }
                        totals[query][one] = total;
                        for (int i = 0; i < HEAD; i++) {
#pragma HLS unroll
                            std::int32_t sum = at == 0 ? 0 : sums[query][one][i];
                            for (int key = 0; key < KEYS; key++) {
#pragma HLS unroll
                                sum += products[key][i];
                            }
                            sums[query][one][i] = sum;
                        }
                    }
                }
                at += one + 1 == HEADS ? 1 : 0;
                one = one + 1 == HEADS ? 0 : one + 1;
            }
        }
        for (int one = 0; one < HEADS; one++)
            for (int part = 0; part < (HEAD + LANES - 1) / LANES; part++) {
#pragma HLS pipeline II=1
                for (int query = 0; query < QUERIES; query++) {
#pragma HLS unroll
                    const int row = first + query;
                    if (row > last)
                        continue;
                    const std::int64_t factor =
                        (std::int64_t(head.numbers[5]) << 12) / totals[query][one];
                    for (int i = 0; i < LANES; i++) {
#pragma HLS unroll
                        const int at = part * LANES + i;
                        if (at < HEAD)
                            to.inner[row % POSITIONS]
                                    [row / POSITIONS * INNER + one * HEAD + at] = std::int8_t(
                                narrowed(rounded(sums[query][one][at] * factor, 28), 8));
                    }
                }
            }
    }
}

static const int EMBEDDING = (FEATURES + 15) / 16, ANGLES = (HEAD + 31) / 32; // beats of a row

// Rows of the residual stream, from tokens and their positions.
static void embed(const Chunk &chunk, const Beat *prompt, const Beat *tables, int prompt_size,
                  int answer, Stores &to) {
    for (int row = 0; row < chunk.rows; row++) {
        const int position = chunk.start + row;
        const int token = position < prompt_size ? prompt[position / 16][position % 16] : answer;
        const Beat *behind = tables + std::int64_t(VOCABULARY) * EMBEDDING;
        for (int beat = 0; beat < EMBEDDING; beat++) {
#pragma HLS pipeline II=2
            const Beat own = tables[std::int64_t(token) * EMBEDDING + beat];
            Beat learned = {};
            if (!IS_ROTARY)
                learned = behind[std::int64_t(position) * EMBEDDING + beat];
            for (int i = 0; i < 16; i++) {
#pragma HLS unroll
                const int at = beat * 16 + i;
                if (at < FEATURES)
                    to.residual[row % POSITIONS][row / POSITIONS * FEATURES + at] =
                        std::int32_t(narrowed(std::int64_t(own[i]) + learned[i], 24));
            }
        }
        for (int beat = 0; IS_ROTARY && beat < ANGLES; beat++) {
#pragma HLS pipeline II=1
            const Beat angles = behind[std::int64_t(position) * ANGLES + beat];
            for (int i = 0; i < 32; i++) {
#pragma HLS unroll
                const int at = beat * 32 + i;
                if (at < HEAD)
                    to.angles[row][at] = std::int16_t(angles[i / 2] >> (i % 2 * 16));
            }
        }
    }
}

static void run_layers(const Beat *prompt, const Beat *tables, Results *out, int prompt_size,
                       int answers, ShareStream (&shares)[CHANNELS],
                       StoredStream (&stored)[CHANNELS]) {
    static Stores to;
#pragma HLS array_partition variable=to.residual type=complete dim=1
#pragma HLS array_reshape variable=to.residual type=cyclic factor=@{residual_width} dim=2
#pragma HLS bind_storage variable=to.residual type=ram_t2p impl=@{residual_block}
#pragma HLS array_partition variable=to.inner type=complete dim=1
#pragma HLS array_reshape variable=to.inner type=cyclic factor=@{inner_width} dim=2
#pragma HLS bind_storage variable=to.inner type=ram_t2p impl=@{inner_block}
#pragma HLS array_partition variable=to.hidden type=complete dim=1
#pragma HLS array_reshape variable=to.hidden type=cyclic factor=@{inner_width} dim=2
#pragma HLS bind_storage variable=to.hidden type=ram_t2p impl=@{hidden_block}
#pragma HLS array_partition variable=to.query type=complete dim=1
#pragma HLS array_reshape variable=to.query type=cyclic factor=@{head_features} dim=2
#pragma HLS bind_storage variable=to.query type=ram_t2p impl=@{query_block}
#pragma HLS array_partition variable=to.own type=complete dim=1
#pragma HLS array_reshape variable=to.own type=complete dim=3
#pragma HLS bind_storage variable=to.own type=ram_t2p impl=@{own_block}
#pragma HLS array_reshape variable=to.angles type=complete dim=2
    static Head head;
    int answer = 0, given = 0;
    for (int start = 0; start < prompt_size + answers - 1;) {
        const Chunk chunk = chunk_at(start, prompt_size);
        embed(chunk, prompt, tables, prompt_size, answer, to);
        start += chunk.rows;
        const bool is_last = start >= prompt_size;
        Best best = {0, 0};
        // Four matrices in each layer, and the vocabulary at the end: one place for each unit.
        for (int step = 0; step < 4 * LAYERS + (is_last ? 1 : 0); step++) {
#pragma HLS loop_flatten off
            const bool is_answer = step == 4 * LAYERS;
            const Target target = is_answer ? TO_VOCABULARY : Target(step % 4);
            const int rows = is_answer ? 1 : chunk.rows;
            if (target == TO_QUERIES || is_answer)
                read_head(head, shares);
            if (target == TO_QUERIES || target == TO_HIDDEN || is_answer)
                norm(target == TO_HIDDEN ? 1 : 0, is_answer ? chunk.rows - 1 : 0, rows, head,
                     to.residual, to.inner);
            if (target == TO_RESIDUAL) {
                store(chunk, to.own, stored);
                attend(chunk, head, to, shares);
            }
            run_matrix(target, rows, chunk, head, to, best, out + std::int64_t(given) * BEATS,
                       shares);
        }
        if (is_last) {
            answer = best.token;
            Results last = {};
            last[0] = answer;
            out[std::int64_t(given) * BEATS + BEATS - 1] = last;
            given++;
        }
    }
}

@{signature} {
@{interfaces}#pragma HLS interface mode=s_axilite port=prompt_size
#pragma HLS interface mode=s_axilite port=answers
#pragma HLS interface mode=s_axilite port=return
#pragma HLS dataflow
    ShareStream shares[CHANNELS];
    StoredStream stored[CHANNELS];
#pragma HLS bind_storage variable=shares type=fifo impl=@{words_block}
#pragma HLS bind_storage variable=stored type=fifo impl=@{stored_block}
#ifdef STREAMOPT_HLS_STREAM
    hls::set_name(shares, "shares");
    hls::set_name(stored, "stored");
#endif
@{movers}    run_layers(prompt, tables, out, prompt_size, answers, shares, stored);
@{keepers}}
