#include "@{top}.h"
#include <algorithm>
#include <cstdint>
#include <hls_stream.h>
#include <limits>@{headers}

// One engine: every layer of the table runs on the same multipliers, one layer after the other.

static const int LAYERS = @{layers};
static const int OUTPUTS = @{outputs};   // sums at work
static const int DEPTH = @{depth};     // products of a sum in a cycle
static const int PRODUCTS = @{products};  // of a cycle
static const int WORD = @{word};      // weights of a word
static const int LANES = @{lanes};     // of layers that combine elements of one channel
static const int SUMS = @{sums};      // registers
static const int BANKS = @{banks};     // elements that a memory delivers
static const int DRAIN = @{drain};     // results that leave in a cycle
static const int PENDING = @{pending};   // sums that wait to leave
static const int PARTIALS = @{partials};  // of a sum, which take turns at its adder
static const int MEMORIES = @{memories};
static const int MEMORY_ROWS = @{memory_rows};
static const int TILE_WORDS = @{tile_words}; // weights of a tile that several positions use
static const int PARAMETERS = @{parameters};
static const int NUMBERS = @{numbers};
static const int MAPS = @{maps};      // beside its source that a layer reads
static const int LEVELS = 9;    // groups, tiles, rows, columns, pool rows, pool columns, runs, chunks
static const int PLACES = 6;    // levels on which a place of the result depends

typedef @{element} element_t;
typedef @{weight} weight_t;
typedef @{sum} sum_t;
typedef @{value} value_t;
typedef @{parameter} parameter_t;

struct Word {
    weight_t at[WORD];
};

struct Move {
    int row, offset, address, result, beside, lanes, columns;
};

struct Layer {
    int iterations, head, steps, step_cycles, chunks, group_chunks, order, shift, pool_columns;
    int uses_weights, combine;
    element_t fill;
    int is_lanes;
    int source_memory, source_base, rows, row_elems;
    int is_output, result_memory, result_base, together, slot_elems, is_pooled;
    int windows, lane_channels, map_count, map_memory[MAPS], map_base[MAPS];
    int form, numbers[NUMBERS];
    int counts[LEVELS];
    Move moves[LEVELS];
    Move first;
};

enum Combine { COMBINE_PRODUCTS, COMBINE_SUM, COMBINE_LARGEST, COMBINE_SMALLEST, COMBINE_COPY };

static const Layer TABLE[LAYERS] = {
@{table}};

typedef hls::stream<Word, @{fifo_words}> WordStream;
typedef hls::stream<Results, 64> ResultStream;
typedef hls::stream<Share, @{share_beats}> ShareStream;
typedef element_t Memories[MEMORIES][MEMORY_ROWS][BANKS];

// to[i] = from[(i + by) % BANKS]
template <typename T> static void turned(const T (&from)[BANKS], int by, T (&to)[BANKS]) {
#pragma HLS inline
    T now[BANKS];
#pragma HLS array_partition variable=now type=complete
    for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
        now[i] = from[i];
    }
    for (int bit = 1; bit < BANKS; bit <<= 1) {
#pragma HLS unroll
        T next[BANKS];
#pragma HLS array_partition variable=next type=complete
        for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
            next[i] = (by & bit) != 0 ? now[(i + bit) % BANKS] : now[i];
        }
        for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
            now[i] = next[i];
        }
    }
    for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
        to[i] = now[i];
    }
}

// A row of a memory; the first for one that isn't there, of which no element counts.
static int row_at(int address) {
#pragma HLS inline
    return address < 0 || address >= MEMORY_ROWS * BANKS ? 0 : address / BANKS;
}

// Neighbouring elements from any place on: each bank has one of them.
static void take_line(Memories &memories, int memory, int address, element_t (&line)[BANKS]) {
#pragma HLS inline
    element_t raw[BANKS];
#pragma HLS array_partition variable=raw type=complete
    const int first = address & (BANKS - 1);
    const int row = row_at(address), next = row_at(address + BANKS);
    for (int bank = 0; bank < BANKS; bank++) {
#pragma HLS unroll
        raw[bank] = memories[memory][bank < first ? next : row][bank];
    }
    turned(raw, first, line);
}

static void put_line(Memories &memories, int memory, int address, int count,
                     const element_t (&line)[BANKS]) {
#pragma HLS inline
    element_t raw[BANKS];
#pragma HLS array_partition variable=raw type=complete
    const int row = address / BANKS, first = address % BANKS;
    turned(line, BANKS - first, raw);
    for (int bank = 0; bank < BANKS; bank++) {
#pragma HLS unroll
        const bool is_next = bank < first;
        if ((is_next ? bank + BANKS : bank) - first < count)
            memories[memory][row + (is_next ? 1 : 0)][bank] = raw[bank];
    }
}
@{multiply}
static sum_t added(sum_t left, sum_t right) {
#pragma HLS inline
    return @{added};
}

// Products as one, neighbours first.
static sum_t total_of(const sum_t *products) {
#pragma HLS inline
    sum_t level[DEPTH];
#pragma HLS array_partition variable=level type=complete
    for (int i = 0; i < DEPTH; i++) {
#pragma HLS unroll
        level[i] = products[i];
    }
    for (int apart = 1; apart < DEPTH; apart *= 2) {
#pragma HLS unroll
        for (int i = 0; i + apart < DEPTH; i += 2 * apart) {
#pragma HLS unroll
            level[i] = added(level[i], level[i + apart]);
        }
    }
    return level[0];
}

static sum_t combined(const Layer &layer, sum_t left, sum_t right) {
#pragma HLS inline
    if (layer.combine == COMBINE_LARGEST)
        return std::max(left, right);
    if (layer.combine == COMBINE_SMALLEST)
        return std::min(left, right);
    return added(left, right);
}

@{form_functions}
static value_t finished(const Layer &layer, int slot, sum_t sum, const element_t (&maps)[MAPS],
                        const parameter_t (&parameters)[PARAMETERS]) {
#pragma HLS inline
    (void)slot, (void)maps, (void)parameters;
    switch (layer.form) {
@{form_cases}    }
}

static void run_layer(const Layer &layer, Memories &memories, Word (&kept)[TILE_WORDS],
                      WordStream &weights, ResultStream &results) {
    // The newest first: a sum is added to again when PARTIALS steps of a position are over.
    sum_t sums[SUMS][PARTIALS] = {};
#pragma HLS array_partition variable=sums type=complete dim=0
    sum_t pending[PENDING][PARTIALS] = {};
#pragma HLS array_partition variable=pending type=complete dim=0
    value_t largest[PENDING] = {};
#pragma HLS array_partition variable=largest type=complete
    parameter_t parameters[PENDING][PARAMETERS] = {};
#pragma HLS array_partition variable=parameters type=complete dim=0
    int counter[LEVELS] = {};
#pragma HLS array_partition variable=counter type=complete
    Move place[LEVELS];
#pragma HLS array_partition variable=place type=complete
    for (int level = 0; level < LEVELS; level++) {
#pragma HLS unroll
        place[level] = layer.first;
    }
    Move leaving = layer.first;
    int left = 0, chunk = 0, neighbour = 0, in_pool = 0, slot = 0;
    bool begins_pool = true, ends_pool = true;
    int before = layer.head != 0 ? layer.chunks + layer.head : 0, waited = 0, head = 0;
    int cycle = 0;
    bool is_first_position = true;
    for (int iteration = 0; iteration < layer.iterations + layer.chunks; iteration++) {
#pragma HLS pipeline II=1
#pragma HLS dependence variable=memories type=inter false
#pragma HLS dependence variable=kept type=inter false
        // Some sums of the last position leave.
        if (left != 0) {
            element_t beside[DRAIN][MAPS] = {};
#pragma HLS array_partition variable=beside type=complete dim=0
@{read_maps}            element_t line[BANKS] = {};
#pragma HLS array_partition variable=line type=complete
            Results out;
            const bool is_first = begins_pool && in_pool == 0;
            for (int lane = 0; lane < DRAIN; lane++) {
#pragma HLS unroll
                const int at = (neighbour * layer.group_chunks + chunk) * DRAIN + lane;
                const int best = (slot * layer.group_chunks + chunk) * DRAIN + lane;
                sum_t sum = pending[lane][0];
                for (int part = 1; part < PARTIALS; part++) {
#pragma HLS unroll
                    if (part < layer.steps)
                        sum = combined(layer, sum, pending[lane][part]);
                }
                value_t value = finished(layer, at, sum, beside[lane], parameters[at]);
                if (layer.is_pooled != 0) {
                    if (!is_first)
                        value = std::max(value, largest[best]);
                    largest[best] = value;
                }
                out[lane] = value;
                line[lane] = static_cast<element_t>(value);
            }
            for (int i = 0; i + DRAIN < PENDING; i++) {
#pragma HLS unroll
                for (int part = 0; part < PARTIALS; part++) {
#pragma HLS unroll
                    pending[i][part] = pending[i + DRAIN][part];
                }
            }
            const int slots = std::min(leaving.columns - slot * layer.together, layer.together);
            const int lanes = slots * (leaving.lanes - chunk * DRAIN);
            if (ends_pool && in_pool + 1 == layer.pool_columns) {
                if (layer.is_output != 0)
                    results.write(out);
                else if (slots > 0 && lanes > 0)
                    put_line(memories, layer.result_memory,
                             layer.result_base + leaving.result + slot * layer.slot_elems +
                                 chunk * DRAIN,
                             std::min(lanes, DRAIN), line);
            }
            left--;
            if (++chunk == layer.group_chunks) {
                chunk = 0;
                neighbour++;
                if (++in_pool == layer.pool_columns) {
                    in_pool = 0;
                    slot++;
                }
            }
        }
        if (iteration >= layer.iterations)
            continue;
        // What is before a tile: results of the one before have left, constants come.
        if (waited < before) {
            if (waited++ >= layer.chunks) {
                const Word word = weights.read();
@{take_parameters}                head++;
            }
            continue;
        }
        // One step of a position.
        if (cycle < layer.steps) {
            Word word = {};
            if (layer.uses_weights != 0) {
                if (is_first_position) {
                    word = weights.read();
                    if (cycle < TILE_WORDS)
                        kept[cycle] = word;
                } else {
                    word = kept[cycle];
                }
            }
            const Move at = place[LEVELS - 1];
            const bool is_row = at.row >= 0 && at.row < layer.rows;
            element_t raw[BANKS], line[BANKS];
#pragma HLS array_partition variable=raw type=complete
#pragma HLS array_partition variable=line type=complete
            take_line(memories, layer.source_memory, layer.source_base + (is_row ? at.address : 0),
                      raw);
            for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
                const int offset = at.offset + i;
                const bool is_inside = is_row && offset >= 0 && offset < layer.row_elems;
                line[i] = is_inside ? raw[i] : layer.fill;
            }
            element_t windows[BESIDE][BANKS];
#pragma HLS array_partition variable=windows type=complete dim=0
            for (int i = 0; i < BANKS; i++) {
#pragma HLS unroll
                windows[0][i] = line[i];
            }
            for (int next = 1; next < BESIDE; next++) {
#pragma HLS unroll
                if (next < layer.windows)
                    turned(windows[next - 1], layer.shift, windows[next]);
            }
            sum_t products[PRODUCTS], own[LANES];
#pragma HLS array_partition variable=products type=complete
#pragma HLS array_partition variable=own type=complete
            element_t lanes[LANES];
#pragma HLS array_partition variable=lanes type=complete
            for (int lane = 0; lane < LANES; lane++) {
#pragma HLS unroll
                lanes[lane] = windows[0][lane];
                for (int next = 1; next < BESIDE; next++) {
#pragma HLS unroll
                    if (next < layer.windows && lane >= next * layer.lane_channels)
                        lanes[lane] = windows[next][lane];
                }
            }
            multiply(layer, windows, lanes, word, products, own);
            for (int at = 0; at < SUMS; at++) {
#pragma HLS unroll
                sum_t term = 0;
                if (at < OUTPUTS && layer.is_lanes == 0)
                    term = total_of(products + at % OUTPUTS * DEPTH);
                else if (at < LANES)
                    term = layer.combine == COMBINE_PRODUCTS ? own[at % LANES]
                                                             : sum_t(lanes[at % LANES]);
                if (cycle >= PARTIALS)
                    term = combined(layer, sums[at][PARTIALS - 1], term);
                for (int part = PARTIALS - 1; part > 0; part--) {
#pragma HLS unroll
                    sums[at][part] = sums[at][part - 1];
                }
                sums[at][0] = term;
            }
            if (cycle + 1 == layer.steps) {
                left = layer.chunks;
                chunk = neighbour = in_pool = slot = 0;
                leaving = at;
                begins_pool = counter[4] == 0 && counter[5] == 0;
                ends_pool = counter[4] + 1 == layer.counts[4] && counter[5] + 1 == layer.counts[5];
@{latch}            }
        }
        // On to the next step, or wait for results to leave.
        const bool is_step = cycle + 1 < layer.steps;
        const bool is_last = cycle + 1 == layer.step_cycles;
        if (is_step || is_last) {
            bool carries = true;
            bool changes_tile = false;
            int moved = -1;
            for (int level = LEVELS - 1; level >= 0; level--) {
#pragma HLS unroll
                if (carries) {
                    if (counter[level] + 1 < layer.counts[level]) {
                        counter[level]++;
                        moved = level;
                        carries = false;
                    } else {
                        counter[level] = 0;
                    }
                    changes_tile = level <= 1;
                }
            }
            for (int level = 0; level < LEVELS; level++) {
#pragma HLS unroll
                if (level == moved) {
                    Move &own = place[level];
                    const Move &by = layer.moves[level];
                    own.row += by.row;
                    own.offset += by.offset;
                    own.address += by.address;
                    own.result += by.result;
                    own.beside += by.beside;
                    own.lanes += by.lanes;
                    own.columns += by.columns;
                } else if (moved >= 0 && level > moved) {
                    place[level] = place[level - 1];
                }
            }
            if (is_last) {
                is_first_position = changes_tile;
                if (changes_tile)
                    waited = head = 0;
            }
        }
        cycle = is_last ? 0 : cycle + 1;
    }
}

static void load(const Beat *from, int beats, Memories &memories, int memory, int base) {
    for (int beat = 0; beat < beats; beat++) {
#pragma HLS pipeline II=1
        const Beat taken = from[beat];
        element_t line[BANKS] = {};
#pragma HLS array_partition variable=line type=complete
        for (int i = 0; i < BEAT; i++) {
#pragma HLS unroll
            line[i] = taken[i];
        }
        put_line(memories, memory, base + beat * BEAT, BEAT, line);
    }
}

static void read_share(const Share *from, ShareStream &to) {
    for (int beat = 0; beat < WORDS * SHARES; beat++) {
#pragma HLS pipeline II=1
        to.write(from[beat]);
    }
}

static void join_shares(@{share_streams}, WordStream &to) {
    for (int number = 0; number < WORDS; number++) {
#pragma HLS pipeline
        Word word = {};
@{join}        to.write(word);
    }
}

static void run_engine(@{input_parameters}, WordStream &weights,
                       ResultStream &results) {
    static Memories memories;
#pragma HLS array_partition variable=memories type=complete dim=1
#pragma HLS array_partition variable=memories type=complete dim=3
#pragma HLS bind_storage variable=memories type=ram_s2p impl=@{memory_block}
    static Word kept[TILE_WORDS];
#pragma HLS bind_storage variable=kept type=ram_s2p impl=@{kept_block}
@{loads}    for (int number = 0; number < LAYERS; number++) {
#pragma HLS loop_flatten off
        run_layer(TABLE[number], memories, kept, weights, results);
    }
}

static void write_results(ResultStream &from, Results *to) {
    for (int number = 0; number < RESULTS; number++) {
#pragma HLS pipeline II=1
        to[number] = from.read();
    }
}

@{signature} {
@{interfaces}#pragma HLS interface mode=s_axilite port=return
#pragma HLS dataflow
@{streams}    WordStream weights;
    ResultStream results;
#ifdef STREAMOPT_HLS_STREAM
    hls::set_name(weights, "weights");
    hls::set_name(results, "results");
#endif
@{readers}    join_shares(@{shares}, weights);
    run_engine(@{inputs}, weights, results);
    write_results(results, @{out});
}
