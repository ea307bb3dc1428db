// A design in Verilog, run cycle by cycle, and the memories around it.

#ifndef STREAMOPT_SIMULATION_H
#define STREAMOPT_SIMULATION_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <string>
#include <vector>

#include "verilated.h"
#if VM_TRACE
#include "verilated_vcd_c.h"
#endif

namespace simulation {

// Ports of up to 64 bits are integers, wider ones are arrays of 32 bits.
template <typename Port> void set(Port &port, const uint32_t *word) {
    const uint64_t upper = sizeof(Port) > 4 ? word[1] : 0;
    port = static_cast<Port>(word[0] | upper << 32);
}
template <std::size_t parts> void set(VlWide<parts> &port, const uint32_t *word) {
    std::memcpy(port.data(), word, 4 * parts);
}
template <typename Port> void get(const Port &port, uint32_t *word) {
    word[0] = static_cast<uint32_t>(port);
    if (sizeof(Port) > 4)
        word[1] = static_cast<uint32_t>(static_cast<uint64_t>(port) >> 32);
}
template <std::size_t parts> void get(const VlWide<parts> &port, uint32_t *word) {
    std::memcpy(word, port.data(), 4 * parts);
}

// Some bits of a port, and those of a word in memory.
inline uint32_t field(const uint32_t *word, std::size_t first, std::size_t bits) {
    uint32_t found = 0;
    for (std::size_t at = 0; at < bits; at++)
        found |= (word[(first + at) / 32] >> (first + at) % 32 & 1) << at;
    return found;
}
template <typename Port> std::vector<uint32_t> words_of(const Port &port) {
    std::vector<uint32_t> found((sizeof(Port) + 7) / 8 * 2);
    get(port, found.data());
    return found;
}

// How many frames a process has ended since the reset: its own number goes on from 0 after some.
class Frames {
  public:
    explicit Frames(std::size_t bits) : last((std::size_t(1) << bits) - 1) {}
    void now(std::size_t number) { count += (number - count) & last; }
    std::size_t ended() const { return count; }

  private:
    std::size_t last, count = 0;
};

// The banks of an array side by side, in some frames: wide words. Index s of a dimension of f banks
// is in bank s mod f.
class Memory {
  public:
    Memory(std::size_t frames, std::size_t bytes, std::size_t bits, bool is_signed,
           std::vector<std::size_t> extents, std::vector<std::size_t> factors)
        : frames(frames), bytes(bytes), bits(bits), is_signed(is_signed), extents(extents),
          factors(factors) {
        std::size_t banks = 1;
        for (std::size_t at = 0; at < extents.size(); at++) {
            banks *= factors[at];
            words *= (extents[at] + factors[at] - 1) / factors[at];
            elements *= extents[at];
        }
        parts = (banks * bits + 63) / 64 * 2;
        store.assign(frames * words * parts, 0);
        anything.assign(parts, 0xaaaaaaaa);
    }
    void fill(const void *flat, std::size_t frame) {
        for (std::size_t at = 0; at < elements; at++) {
            uint64_t element = 0;
            std::memcpy(&element, static_cast<const char *>(flat) + at * bytes, bytes);
            const std::size_t first = place(at) + frame * words * parts * 32;
            for (std::size_t bit = 0; bit < bits; bit++)
                store[(first + bit) / 32] |= (element >> bit & 1) << (first + bit) % 32;
        }
    }
    void take(void *flat, std::size_t frame) {
        for (std::size_t at = 0; at < elements; at++) {
            uint64_t element = 0;
            const std::size_t first = place(at) + frame * words * parts * 32;
            for (std::size_t bit = 0; bit < 64; bit++) {
                const std::size_t from = first + (bit < bits ? bit : bits - 1);
                if (bit < bits || is_signed)
                    element |= uint64_t(store[from / 32] >> from % 32 & 1) << bit;
            }
            std::memcpy(static_cast<char *>(flat) + at * bytes, &element, bytes);
        }
    }
    std::size_t word_parts() const { return parts; }
    // Copies one bank's element from a word to another.
    void copy(uint32_t *to, const uint32_t *from, std::size_t bank) const {
        if (bits % 32 == 0) {
            std::memcpy(to + bank * bits / 32, from + bank * bits / 32, bits / 8);
            return;
        }
        for (std::size_t bit = bank * bits; bit < (bank + 1) * bits; bit++) {
            const uint32_t mask = uint32_t(1) << bit % 32;
            to[bit / 32] = (to[bit / 32] & ~mask) | (from[bit / 32] & mask);
        }
    }
    // What is read; where nothing is at an address, as of lanes beyond an array's end, anything.
    const uint32_t *read(std::size_t address, std::size_t frame) const {
        return address < words ? &store[(frame % frames * words + address) * parts]
                               : anything.data();
    }
    uint32_t *word(std::size_t address, std::size_t frame) {
        if (address >= words) {
            std::fprintf(stderr, "testbench: address %zu of %zu words\n", address, words);
            std::exit(2);
        }
        return &store[(frame % frames * words + address) * parts];
    }

  private:
    std::size_t frames, bytes, bits;
    bool is_signed;
    std::size_t words = 1, elements = 1, parts;
    std::vector<std::size_t> extents, factors;
    std::vector<uint32_t> store, anything;

    // The first bit of an element.
    std::size_t place(std::size_t flat) {
        std::size_t address = 0, bank = 0, rest = flat, size = elements;
        for (std::size_t at = 0; at < extents.size(); at++) {
            size /= extents[at];
            const std::size_t index = rest / size;
            rest %= size;
            address = address * ((extents[at] + factors[at] - 1) / factors[at]) + index / factors[at];
            bank = bank * factors[at] + index % factors[at];
        }
        return address * parts * 32 + bank * bits;
    }
};

// A word is there in the cycle after its address, and stays until the next one is asked for.
template <typename Address, typename Data> class ReadPort {
  public:
    ReadPort(Memory &memory, const Frames &frames, const Address &address, const CData &enable,
             Data &data)
        : memory(memory), frames(frames), address(address), enable(enable), data(data) {}
    void before_edge() {
        if (!enable)
            return;
        asked = address;
        frame = frames.ended();
    }
    void after_edge() { set(data, memory.read(asked, frame)); }

  private:
    Memory &memory;
    const Frames &frames;
    const Address &address;
    const CData &enable;
    Data &data;
    std::size_t asked = 0, frame = 0;
};

template <typename Address, typename Data> class WritePort {
  public:
    WritePort(Memory &memory, const Frames &frames, const Address &address, const CData &write,
              const Data &given)
        : memory(memory), frames(frames), address(address), write(write), given(given) {}
    void before_edge() {
        if (write)
            get(given, memory.word(address, frames.ended()));
    }
    void after_edge() {}

  private:
    Memory &memory;
    const Frames &frames;
    const Address &address;
    const CData &write;
    const Data &given;
};

// Banks that have an address each.
template <typename Address, typename Data> class BankReadPort {
  public:
    BankReadPort(Memory &memory, const Frames &frames, const Address &address, const CData &enable,
                 Data &data, std::size_t banks, std::size_t bits)
        : memory(memory), frames(frames), address(address), enable(enable), data(data), bits(bits),
          asked(banks), word(memory.word_parts()) {}
    void before_edge() {
        is_asked = enable;
        if (!is_asked)
            return;
        const std::vector<uint32_t> given = words_of(address);
        for (std::size_t bank = 0; bank < asked.size(); bank++)
            asked[bank] = field(given.data(), bank * bits, bits);
    }
    void after_edge() {
        if (!is_asked)
            return;
        for (std::size_t bank = 0; bank < asked.size(); bank++)
            memory.copy(word.data(), memory.read(asked[bank], frames.ended()), bank);
        set(data, word.data());
    }

  private:
    Memory &memory;
    const Frames &frames;
    const Address &address;
    const CData &enable;
    Data &data;
    std::size_t bits;
    bool is_asked = false;
    std::vector<std::size_t> asked;
    std::vector<uint32_t> word;
};

template <typename Address, typename Write, typename Data> class BankWritePort {
  public:
    BankWritePort(Memory &memory, const Frames &frames, const Address &address, const Write &write,
                  const Data &given, std::size_t banks, std::size_t bits)
        : memory(memory), frames(frames), address(address), write(write), given(given),
          banks(banks), bits(bits) {}
    void before_edge() {
        const std::vector<uint32_t> places = words_of(address), writes = words_of(write);
        std::vector<uint32_t> word(memory.word_parts());
        get(given, word.data());
        for (std::size_t bank = 0; bank < banks; bank++) {
            if (!field(writes.data(), bank, 1))
                continue;
            const std::size_t at = field(places.data(), bank * bits, bits);
            memory.copy(memory.word(at, frames.ended()), word.data(), bank);
        }
    }
    void after_edge() {}

  private:
    Memory &memory;
    const Frames &frames;
    const Address &address;
    const Write &write;
    const Data &given;
    std::size_t banks, bits;
};

// Numbers by chance (xorshift), of which three in four say yes; all do without a seed.
class Chance {
  public:
    explicit Chance(uint32_t seed) : state(seed) {}
    uint32_t number() {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^= state << 5;
    }
    bool goes() { return !state || number() % 4 != 0; }

  private:
    uint32_t state;
};

// The memories off the chip that hold an array, in some frames, each from a multiple of 4 KiB on.
class MasterMemory {
  public:
    MasterMemory(std::size_t frames, std::size_t memories, std::size_t bytes)
        : frames(frames), memories(memories), bytes(bytes), room((bytes + 4095) / 4096 * 4096),
          store(frames * memories * room) {}
    // Packed words, those of one memory after those of another.
    void fill(const std::vector<unsigned char> &words, std::size_t frame) {
        for (std::size_t at = 0; at < memories; at++)
            std::memcpy(&store[base(at, frame)], &words[at * bytes], bytes);
    }
    std::vector<unsigned char> words(std::size_t frame) const {
        std::vector<unsigned char> found(memories * bytes);
        for (std::size_t at = 0; at < memories; at++)
            std::memcpy(&found[at * bytes], &store[base(at, frame)], bytes);
        return found;
    }
    std::size_t base(std::size_t memory, std::size_t frame) const {
        return (frame % frames * memories + memory) * room;
    }
    // Of an array in one memory.
    std::size_t frame_bytes() const { return bytes; }
    std::size_t frame_count() const { return frames; }
    unsigned char *burst(std::size_t address, std::size_t size, std::size_t word) {
        const bool is_inside = address + size <= store.size() && address % room + size <= bytes;
        if (!is_inside || address % word || address / 4096 != (address + size - 1) / 4096) {
            std::fprintf(stderr, "testbench: a burst of %zu bytes from %zu\n", size, address);
            std::exit(2);
        }
        return &store[address];
    }

  private:
    std::size_t frames, memories, bytes, room;
    std::vector<unsigned char> store;
};

// A memory at a master over AXI4: in the first run a beat a cycle, and some cycles from an address to
// its first word or from a last word to its answer; later ones let the master wait by chance.
template <typename Data> class MasterPort {
  public:
    MasterPort(MasterMemory &memory, std::size_t part, const Frames &frames, int number,
               std::size_t latency, std::size_t word_bytes, QData &base, const QData &address,
               const CData &length, const CData &valid, CData &is_taken)
        : latency(latency), word_bytes(word_bytes), is_taken(is_taken),
          chance(number > 1 ? number * 0x9e3779b9 + part : 0), memory(memory), part(part),
          frames(frames), base(base), address(address), length(length), valid(valid) {
        is_taken = 1;
        base = memory.base(part, frames.ended());
    }

  protected:
    struct Beat {
        unsigned char *at;
        std::size_t from_cycle;
        bool is_last;
    };
    std::size_t latency, word_bytes, now = 0;
    CData &is_taken;
    std::deque<Beat> beats;
    Chance chance;

    void take_burst() {
        if (!valid || !is_taken)
            return;
        const std::size_t count = std::size_t(length) + 1;
        unsigned char *first = memory.burst(address, count * word_bytes, word_bytes);
        for (std::size_t at = 0; at < count; at++)
            beats.push_back({first + at * word_bytes, now + latency + at, at + 1 == count});
    }
    void next_cycle() {
        now++;
        base = memory.base(part, frames.ended());
        is_taken = chance.goes();
    }

  private:
    MasterMemory &memory;
    std::size_t part;
    const Frames &frames;
    QData &base;
    const QData &address;
    const CData &length, &valid;
};

template <typename Data> class MasterReadPort : public MasterPort<Data> {
  public:
    MasterReadPort(MasterMemory &memory, std::size_t part, const Frames &frames, int number,
                   std::size_t latency, std::size_t word_bytes, QData &base, const QData &address,
                   const CData &length, const CData &valid, CData &is_taken, CData &comes,
                   const CData &is_awaited, Data &data)
        : MasterPort<Data>(memory, part, frames, number, latency, word_bytes, base, address, length,
                           valid, is_taken),
          comes(comes), is_awaited(is_awaited), data(data) {
        comes = 0;
    }
    void before_edge() {
        this->take_burst();
        is_offered = comes && !is_awaited;
        if (comes && is_awaited)
            this->beats.pop_front();
    }
    void after_edge() {
        this->next_cycle();
        const auto &beats = this->beats;
        comes = is_offered ||
                (!beats.empty() && beats.front().from_cycle <= this->now && this->chance.goes());
        if (!comes)
            return;
        std::vector<uint32_t> word((this->word_bytes + 7) / 8 * 2);
        std::memcpy(word.data(), beats.front().at, this->word_bytes);
        set(data, word.data());
    }

  private:
    CData &comes;
    const CData &is_awaited;
    Data &data;
    bool is_offered = false;
};

template <typename Data> class MasterWritePort : public MasterPort<Data> {
  public:
    MasterWritePort(MasterMemory &memory, std::size_t part, const Frames &frames, int number,
                    std::size_t latency, std::size_t word_bytes, QData &base, const QData &address,
                    const CData &length, const CData &valid, CData &is_taken, const CData &comes,
                    CData &is_awaited, const CData &is_last, const Data &data, CData &answers,
                    const CData &is_heard)
        : MasterPort<Data>(memory, part, frames, number, latency, word_bytes, base, address, length,
                           valid, is_taken),
          comes(comes), is_awaited(is_awaited), is_last(is_last), data(data), answers(answers),
          is_heard(is_heard) {
        is_awaited = 1;
        answers = 0;
    }
    void before_edge() {
        if (answers && is_heard)
            written.pop_front();
        if (comes && is_awaited)
            take_word();
        this->take_burst();
    }
    void after_edge() {
        this->next_cycle();
        is_awaited = this->chance.goes();
        answers = !written.empty() && written.front() <= this->now;
    }

  private:
    const CData &comes;
    CData &is_awaited;
    const CData &is_last;
    const Data &data;
    CData &answers;
    const CData &is_heard;
    std::deque<std::size_t> written;

    void take_word() {
        if (this->beats.empty() || this->beats.front().is_last != bool(is_last)) {
            std::fprintf(stderr, "testbench: a word is in no burst, or not its last one\n");
            std::exit(2);
        }
        std::vector<uint32_t> word((this->word_bytes + 7) / 8 * 2);
        get(data, word.data());
        std::memcpy(this->beats.front().at, word.data(), this->word_bytes);
        if (is_last)
            written.push_back(this->now + this->latency);
        this->beats.pop_front();
    }
};

// The words of an array as a stream, frame after frame: one a cycle from the start on, and in later
// runs by chance.
class StreamPort {
  public:
    StreamPort(MasterMemory &memory, int number, std::size_t word_bytes, std::size_t times)
        : memory(memory), word_bytes(word_bytes), times(times),
          chance(number > 1 ? number * 0x9e3779b9 + word_bytes : 0) {}

  protected:
    MasterMemory &memory;
    std::size_t word_bytes, times, count = 0;
    Chance chance;

    std::size_t beats() const { return memory.frame_bytes() / word_bytes; }
    bool is_last() const { return count % (beats() * times) == beats() * times - 1; }
    unsigned char *word() {
        const std::size_t frame = count / (beats() * times), at = count % beats();
        return memory.burst(memory.base(0, frame) + at * word_bytes, word_bytes, word_bytes);
    }
};

template <typename Data> class StreamReadPort : public StreamPort {
  public:
    StreamReadPort(MasterMemory &memory, int number, std::size_t word_bytes, std::size_t times,
                   Data &data, CData &comes, const CData &is_awaited, CData &last)
        : StreamPort(memory, number, word_bytes, times), data(data), comes(comes),
          is_awaited(is_awaited), last(last) {
        comes = 0;
    }
    void before_edge() {
        is_offered = comes && !is_awaited;
        count += comes && is_awaited;
    }
    void after_edge() {
        if (!is_offered)
            offer();
    }

  private:
    Data &data;
    CData &comes;
    const CData &is_awaited;
    CData &last;
    bool is_offered = false;

    void offer() {
        comes = count < memory.frame_count() * beats() * times && chance.goes();
        if (!comes)
            return;
        std::vector<uint32_t> now((word_bytes + 7) / 8 * 2);
        std::memcpy(now.data(), word(), word_bytes);
        set(data, now.data());
        last = is_last();
    }
};

template <typename Data> class StreamWritePort : public StreamPort {
  public:
    StreamWritePort(MasterMemory &memory, int number, std::size_t word_bytes, std::size_t times,
                    const Data &data, const CData &comes, CData &is_awaited, const CData &last)
        : StreamPort(memory, number, word_bytes, times), data(data), comes(comes),
          is_awaited(is_awaited), last(last) {
        is_awaited = 1;
    }
    void before_edge() {
        if (!comes || !is_awaited)
            return;
        if (bool(last) != is_last()) {
            std::fprintf(stderr, "testbench: a frame of a stream ends too early or too late\n");
            std::exit(2);
        }
        std::vector<uint32_t> now((word_bytes + 7) / 8 * 2);
        get(data, now.data());
        std::memcpy(word(), now.data(), word_bytes);
        count++;
    }
    void after_edge() { is_awaited = chance.goes(); }

  private:
    const Data &data;
    const CData &comes;
    CData &is_awaited;
    const CData &last;
};

// Which processes are held in each cycle: a quarter of the time, in spells of up to 16 cycles.
class Holds {
  public:
    Holds(uint32_t seed, std::size_t processes)
        : chance(seed * 0x9e3779b9 + 1), processes(processes), words((processes / 64 + 1) * 2) {}
    template <typename Port> void next(Port &hold) {
        for (uint32_t &word : words)
            word = chance.number() & chance.number() &
                   ((chance.number() & 15) == 0 ? chance.number() : word | chance.number());
        // Verilator relies on nothing being above a port's bits.
        words[processes / 32] &= (uint32_t(1) << processes % 32) - 1;
        for (std::size_t at = processes / 32 + 1; at < words.size(); at++)
            words[at] = 0;
        set(hold, words.data());
    }

  private:
    Chance chance;
    std::size_t processes;
    std::vector<uint32_t> words;
};

// All signals, two times a cycle: a VCD file where the environment names one.
class Waves {
  public:
    template <typename Design> explicit Waves(Design &design) {
#if VM_TRACE
        const char *path = std::getenv("STREAMOPT_VCD");
        if (!path)
            return;
        Verilated::traceEverOn(true);
        design.trace(&file, 99);
        file.open(path);
#else
        (void)design;
#endif
    }
    void next() {
#if VM_TRACE
        if (file.isOpen())
            file.dump(time++);
#endif
    }

  private:
#if VM_TRACE
    uint64_t time = 0;
    VerilatedVcdC file;
#endif
};

// How many frames follow each other in a run: one, or as the environment says.
inline std::size_t asked_frames() {
    const char *asked = std::getenv("STREAMOPT_FRAMES");
    return asked ? std::strtoul(asked, nullptr, 10) : 1;
}

// Directories of a frame: those of the run for the first one, below them for the others, if there
// are data; else these are those of the first one.
class Directories {
  public:
    Directories(std::string &data, std::string &output, const char *probe)
        : data(data), output(output), first_data(data), first_output(output), probe(probe) {}
    ~Directories() { enter(0); }
    void enter(std::size_t frame) {
        const std::string below = frame ? "/frame" + std::to_string(frame + 1) : "";
        std::FILE *found = std::fopen((first_data + below + "/" + probe).c_str(), "rb");
        data = found ? first_data + below : first_data;
        output = first_output.empty() ? first_output : first_output + below;
        if (found)
            std::fclose(found);
    }

  private:
    std::string &data, &output;
    const std::string first_data, first_output, probe;
};

// Runs a design until all frames have ended; their inputs are there from the start. The first run
// begins with a reset; later ones begin when the one before is done, and processes are held by
// chance. Cycles count from the first after the start.
template <typename Design, typename... Ports>
void run(Design &design, std::size_t processes, std::size_t most_cycles, int number,
         std::size_t frames, const std::function<std::size_t()> &ended, Ports... ports) {
    Holds holds(number, processes);
    static Waves waves(design);
    std::size_t given = 0;
    const auto cycle = [&] {
        design.clk = 0;
        design.start = !design.rst && given < frames;
        if (number > 1)
            holds.next(design.hold);
        design.eval();
        given += design.start && design.ready;
        if (number == 1)
            waves.next();
        if (!design.rst)
            (ports.before_edge(), ...);
        design.clk = 1;
        design.eval();
        if (number == 1)
            waves.next();
        if (!design.rst)
            (ports.after_edge(), ...);
    };
    design.rst = number == 1;
    if (design.rst)
        cycle();
    design.rst = 0;
    cycle();
    const std::size_t before = (number - 1) * frames;
    std::vector<std::size_t> ends;
    for (std::size_t cycles = 0; ends.size() < frames; cycles++) {
        if (cycles)
            cycle();
        for (const std::size_t now = ended() - before; ends.size() < now;)
            ends.push_back(cycles);
        if (cycles > most_cycles * frames * (number > 1 ? 16 : 1)) {
            std::fprintf(stderr, "dataflow: nothing has ended after %zu cycles\n", cycles);
            std::exit(6);
        }
    }
    if (!design.done) {
        std::fprintf(stderr, "dataflow: all frames have ended, and the design isn't done\n");
        std::exit(6);
    }
    std::printf("cycles");
    for (const std::size_t end : ends)
        std::printf(" %zu", end);
    std::printf("\n");
}

} // namespace simulation

#endif
