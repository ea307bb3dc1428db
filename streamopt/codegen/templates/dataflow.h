// Dataflow on a CPU: a thread for each process, and bounded FIFOs with one writer and one reader.
//
// When no thread can go on, the program says who waits for what and ends with exit code 4 (a
// process reads more than is written), 5 (writes more than is read) or 6 (a ring of processes
// that wait for each other). With a directory as STREAMOPT_TRACE in the environment, everything
// that is handed over goes into a file <name>.tokens there.

#ifndef STREAMOPT_DATAFLOW_H
#define STREAMOPT_DATAFLOW_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <pthread.h>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

namespace streamopt {

// What two processes share: a FIFO, or a buffer that one fills before the other one starts.
class Channel {
  public:
    explicit Channel(int depth) : depth_(depth) {}
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;
    virtual ~Channel() = default;

    void connect(const std::string &name, const char *writer, const char *reader) {
        name_ = name;
        writer_ = writer;
        reader_ = reader;
    }

    const std::string &peer(bool for_data) const { return for_data ? writer_ : reader_; }
    virtual bool ready(bool for_data) const = 0;
    virtual std::size_t left() const { return 0; }

    std::string label() const {
        return depth_ == 0 ? "buffer " + name_
                           : "stream " + name_ + " (depth " + std::to_string(depth_) + ")";
    }

  protected:
    void wait(bool for_data);

    void keep(const void *values, std::size_t bytes) const {
        const std::string path = std::string(tracing()) + "/" + name_ + ".tokens";
        if (std::FILE *file = std::fopen(path.c_str(), "wb")) {
            std::fwrite(values, 1, bytes, file);
            std::fclose(file);
        }
    }

    static const char *tracing() {
        static const char *directory = std::getenv("STREAMOPT_TRACE");
        return directory;
    }

  private:
    std::string name_, writer_, reader_;
    const int depth_;
};

// The threads of one run.
class Region {
  public:
    // Names a channel, or all of an array of them: E[0][0], E[0][1], ...
    template <typename C>
    void connect(C &channel, const std::string &name, const char *writer, const char *reader) {
        if constexpr (std::is_array_v<C>) {
            std::size_t at = 0;
            for (auto &one : channel)
                connect(one, name + "[" + std::to_string(at++) + "]", writer, reader);
        } else {
            channel.connect(name, writer, reader);
            channels_.push_back(&channel);
        }
    }

    void start(const char *name, std::function<void()> body) {
        processes_.push_back(std::make_unique<Process>());
        processes_.back()->region = this;
        processes_.back()->name = name;
        processes_.back()->body = std::move(body);
    }

    // Runs all processes to their end; ends the program if they can't get there.
    void run() {
        // Local arrays are as large as the buffers they stand for, so a thread's usual stack is
        // too small for them. Address space that nobody touches costs nothing.
        std::size_t bytes = std::size_t(1) << 30;
        pthread_attr_t attributes;
        pthread_attr_init(&attributes);
        pthread_attr_setstacksize(&attributes, bytes);
        for (auto &one : processes_)
            while (pthread_create(&one->thread, &attributes, enter, one.get()) != 0) {
                if ((bytes /= 2) < (1 << 20))
                    stop(3, "no memory for the stack of process " + one->name);
                pthread_attr_setstacksize(&attributes, bytes);
            }
        pthread_attr_destroy(&attributes);
        for (auto &one : processes_)
            pthread_join(one->thread, nullptr);
        for (const Channel *channel : channels_)
            if (channel->left() != 0)
                stop(5, std::to_string(channel->left()) + " elements left in " + channel->label() +
                            ": " + channel->peer(true) + " writes it, " + channel->peer(false) +
                            " reads it");
    }

    // Waits until a channel has data or room for the thread that asks.
    static void wait(const Channel &channel, bool for_data) {
        for (int turn = 0; turn < 1000; turn++) {
            if (channel.ready(for_data))
                return;
            std::this_thread::yield();
        }
        Process &mine = *current();
        mine.region->pause(mine, channel, for_data);
    }

  private:
    struct Process {
        Region *region = nullptr;
        std::string name;
        std::function<void()> body;
        pthread_t thread{};
        const Channel *channel = nullptr; // that it waits for
        bool for_data = false, ended = false;
    };

    std::vector<std::unique_ptr<Process>> processes_;
    std::vector<const Channel *> channels_;
    std::mutex lock_; // of what processes wait for

    static Process *&current() {
        thread_local Process *process = nullptr;
        return process;
    }

    static void *enter(void *process) {
        Process &mine = *static_cast<Process *>(process);
        current() = &mine;
        mine.body();
        const std::lock_guard<std::mutex> held(mine.region->lock_);
        mine.ended = true;
        return nullptr;
    }

    void pause(Process &mine, const Channel &channel, bool for_data) {
        std::unique_lock<std::mutex> held(lock_);
        mine.channel = &channel;
        mine.for_data = for_data;
        while (!channel.ready(for_data)) {
            if (stands())
                report();
            held.unlock();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
            held.lock();
        }
        mine.channel = nullptr;
    }

    // Whether every thread waits for what no other one can bring: then nothing changes any more.
    bool stands() const {
        for (const auto &one : processes_)
            if (!one->ended && (one->channel == nullptr || one->channel->ready(one->for_data)))
                return false;
        return true;
    }

    const Process *peer(const Process &one) const {
        for (const auto &other : processes_)
            if (other->name == one.channel->peer(one.for_data))
                return other.get();
        return nullptr;
    }

    [[noreturn]] void report() const {
        const Process *at = nullptr;
        for (const auto &one : processes_) {
            if (one->ended)
                continue;
            at = one.get();
            const Process *other = peer(*one);
            if (other == nullptr || other->ended)
                stop(one->for_data ? 4 : 5,
                     one->name + (one->for_data ? " reads from empty " : " writes to full ") +
                         one->channel->label() + ": " + one->channel->peer(one->for_data) +
                         " has ended");
        }
        for (std::size_t step = 0; step < processes_.size(); step++)
            at = peer(*at); // after so many steps it is one of the ring
        std::string text;
        const Process *first = at;
        do {
            text += (text.empty() ? "" : "\ndataflow: ") + at->name + " waits for " +
                    (at->for_data ? "data" : "room") + " in " + at->channel->label() + ", which " +
                    at->channel->peer(at->for_data) + (at->for_data ? " writes" : " reads");
            at = peer(*at);
        } while (at != first);
        stop(6, text);
    }

    [[noreturn]] static void stop(int code, const std::string &what) {
        std::fflush(stdout);
        std::fprintf(stderr, "dataflow: %s\n", what.c_str());
        std::fflush(stderr);
        std::_Exit(code);
    }
};

inline void Channel::wait(bool for_data) { Region::wait(*this, for_data); }

// The least power of two that is no less.
constexpr std::size_t power_of_two(std::size_t least) {
    std::size_t power = 1;
    while (power < least)
        power *= 2;
    return power;
}

// A FIFO of DEPTH elements.
template <typename T, int DEPTH> class Stream : public Channel {
  public:
    Stream() : Channel(DEPTH), ring_(new T[SLOTS]) {}

    ~Stream() override {
        if (tracing() != nullptr)
            keep(tokens_.data(), tokens_.size() * sizeof(T));
    }

    void write(const T &value) {
        const std::size_t last = last_.load(std::memory_order_relaxed);
        if (last - known_first_ == ROOM) {
            wait_until(false);
            known_first_ = first_.load(std::memory_order_acquire);
        }
        ring_[last & (SLOTS - 1)] = value;
        last_.store(last + 1, std::memory_order_release);
        if (tracing() != nullptr)
            tokens_.push_back(value);
    }

    T read() {
        const std::size_t first = first_.load(std::memory_order_relaxed);
        if (first == known_last_) {
            wait_until(true);
            known_last_ = last_.load(std::memory_order_acquire);
        }
        const T value = ring_[first & (SLOTS - 1)];
        first_.store(first + 1, std::memory_order_release);
        return value;
    }

    bool ready(bool for_data) const override { return for_data ? left() != 0 : left() < ROOM; }

    std::size_t left() const override {
        return last_.load(std::memory_order_acquire) - first_.load(std::memory_order_acquire);
    }

  private:
    static constexpr std::size_t ROOM = DEPTH;
    static constexpr std::size_t SLOTS = power_of_two(ROOM);

    std::unique_ptr<T[]> ring_;
    std::vector<T> tokens_;
    alignas(64) std::atomic<std::size_t> first_{0}; // the reader's, as are
    std::size_t known_last_ = 0;
    alignas(64) std::atomic<std::size_t> last_{0}; // the writer's, as are
    std::size_t known_first_ = 0;

    void wait_until(bool for_data) {
        if (!ready(for_data))
            wait(for_data);
    }
};

// Whether a buffer is full: its writer hands it over as a whole.
class Handover : public Channel {
  public:
    Handover() : Channel(0) {}

    template <typename T> void give(const T &buffer) {
        if (tracing() != nullptr)
            keep(&buffer, sizeof(T));
        full_.store(true, std::memory_order_release);
    }

    void take() {
        if (!full_.load(std::memory_order_acquire))
            wait(true);
    }

    bool ready(bool) const override { return full_.load(std::memory_order_acquire); }

  private:
    std::atomic<bool> full_{false};
};

} // namespace streamopt

#endif
