// A design in Verilog, run cycle by cycle, and the memories around it.

#ifndef STREAMOPT_SIMULATION_H
#define STREAMOPT_SIMULATION_H

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

// Banks of an array side by side: wide words. Index s of a dimension of f banks is in bank s mod f.
class Memory {
  public:
    Memory(std::size_t bytes, std::size_t bits, bool is_signed, std::vector<std::size_t> extents,
           std::vector<std::size_t> factors)
        : bytes(bytes), bits(bits), is_signed(is_signed), extents(extents), factors(factors) {
        std::size_t banks = 1;
        for (std::size_t at = 0; at < extents.size(); at++) {
            banks *= factors[at];
            words *= (extents[at] + factors[at] - 1) / factors[at];
            elements *= extents[at];
        }
        parts = (banks * bits + 63) / 64 * 2;
        store.assign(words * parts, 0);
        anything.assign(parts, 0xaaaaaaaa);
    }
    void fill(const void *flat) {
        for (std::size_t at = 0; at < elements; at++) {
            uint64_t element = 0;
            std::memcpy(&element, static_cast<const char *>(flat) + at * bytes, bytes);
            const std::size_t first = place(at);
            for (std::size_t bit = 0; bit < bits; bit++)
                store[(first + bit) / 32] |= (element >> bit & 1) << (first + bit) % 32;
        }
    }
    void take(void *flat) {
        for (std::size_t at = 0; at < elements; at++) {
            uint64_t element = 0;
            const std::size_t first = place(at);
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
    const uint32_t *read(std::size_t address) const {
        return address < words ? &store[address * parts] : anything.data();
    }
    uint32_t *word(std::size_t address) {
        if (address >= words) {
            std::fprintf(stderr, "testbench: address %zu of %zu words\n", address, words);
            std::exit(2);
        }
        return &store[address * parts];
    }

  private:
    std::size_t bytes, bits;
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
    ReadPort(Memory &memory, const Address &address, const CData &enable, Data &data)
        : memory(memory), address(address), enable(enable), data(data) {}
    void before_edge() {
        if (enable)
            asked = address;
    }
    void after_edge() { set(data, memory.read(asked)); }

  private:
    Memory &memory;
    const Address &address;
    const CData &enable;
    Data &data;
    std::size_t asked = 0;
};

template <typename Address, typename Data> class WritePort {
  public:
    WritePort(Memory &memory, const Address &address, const CData &write, const Data &given)
        : memory(memory), address(address), write(write), given(given) {}
    void before_edge() {
        if (write)
            get(given, memory.word(address));
    }
    void after_edge() {}

  private:
    Memory &memory;
    const Address &address;
    const CData &write;
    const Data &given;
};

// Banks that have an address each.
template <typename Address, typename Data> class BankReadPort {
  public:
    BankReadPort(Memory &memory, const Address &address, const CData &enable, Data &data,
                 std::size_t banks, std::size_t bits)
        : memory(memory), address(address), enable(enable), data(data), bits(bits), asked(banks),
          word(memory.word_parts()) {}
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
            memory.copy(word.data(), memory.read(asked[bank]), bank);
        set(data, word.data());
    }

  private:
    Memory &memory;
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
    BankWritePort(Memory &memory, const Address &address, const Write &write, const Data &given,
                  std::size_t banks, std::size_t bits)
        : memory(memory), address(address), write(write), given(given), banks(banks), bits(bits) {}
    void before_edge() {
        const std::vector<uint32_t> places = words_of(address), writes = words_of(write);
        std::vector<uint32_t> word(memory.word_parts());
        get(given, word.data());
        for (std::size_t bank = 0; bank < banks; bank++) {
            if (!field(writes.data(), bank, 1))
                continue;
            const std::size_t at = field(places.data(), bank * bits, bits);
            memory.copy(memory.word(at), word.data(), bank);
        }
    }
    void after_edge() {}

  private:
    Memory &memory;
    const Address &address;
    const Write &write;
    const Data &given;
    std::size_t banks, bits;
};

// Which processes are held in each cycle: a quarter of the time, in spells of up to 16 cycles.
class Holds {
  public:
    Holds(uint32_t seed, std::size_t processes)
        : state(seed * 0x9e3779b9 + 1), processes(processes), words((processes / 64 + 1) * 2) {}
    template <typename Port> void next(Port &hold) {
        for (uint32_t &word : words)
            word = number() & number() & ((number() & 15) == 0 ? number() : word | number());
        // Verilator relies on nothing being above a port's bits.
        words[processes / 32] &= (uint32_t(1) << processes % 32) - 1;
        for (std::size_t at = processes / 32 + 1; at < words.size(); at++)
            words[at] = 0;
        set(hold, words.data());
    }

  private:
    uint32_t state;
    std::size_t processes;
    std::vector<uint32_t> words;

    uint32_t number() {
        state ^= state << 13;
        state ^= state >> 17;
        return state ^= state << 5;
    }
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

// Runs a design to its end; returns the cycles from the first after the start. The first run begins
// with a reset; later ones begin when the one before is done, and processes are held by chance.
template <typename Design, typename... Ports>
std::size_t run(Design &design, std::size_t processes, std::size_t most_cycles, int number,
                Ports... ports) {
    Holds holds(number, processes);
    static Waves waves(design);
    const auto cycle = [&] {
        design.clk = 0;
        if (number > 1)
            holds.next(design.hold);
        design.eval();
        if (number == 1)
            waves.next();
        (ports.before_edge(), ...);
        design.clk = 1;
        design.eval();
        if (number == 1)
            waves.next();
        (ports.after_edge(), ...);
    };
    design.start = 0;
    if (number == 1) {
        design.rst = 1;
        cycle();
        design.rst = 0;
    }
    design.start = 1;
    cycle();
    design.start = 0;
    std::size_t cycles = 0;
    while (!design.done) {
        if (cycles > most_cycles * (number > 1 ? 16 : 1)) {
            std::fprintf(stderr, "dataflow: nothing has ended after %zu cycles\n", cycles);
            std::exit(6);
        }
        cycle();
        cycles++;
    }
    std::printf("cycles %zu\n", cycles);
    return cycles;
}

} // namespace simulation

#endif
