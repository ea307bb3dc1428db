// The part of TAPA that emitted designs use, for software simulation without TAPA.
//
// Tasks are the coroutines of hls_dataflow.h: they run at once, streams hold as much as in hardware,
// and a deadlock ends the program. TAPA's own header of the same name is used instead where TAPA is
// installed.

#ifndef STREAMOPT_TAPA
#define STREAMOPT_TAPA

#include <cstddef>
#include <cstdint>
#include <deque>
#include <hls_dataflow.h>
#include <memory>
#include <string>
#include <vector>

namespace tapa {

template <typename T, int COUNT> class alignas(sizeof(T) * COUNT) vec_t {
  public:
    T &operator[](int at) { return elements_[at]; }
    const T &operator[](int at) const { return elements_[at]; }

  private:
    T elements_[COUNT];
};

template <typename T> using aligned_allocator = std::allocator<T>;

template <typename T> class istream;
template <typename T> class ostream;

namespace detail {

// What is behind both ends of a stream.
template <typename T> class queue : public hls::detail::Channel {
  public:
    ~queue() {
        keep();
        if (!elements_.empty())
            leave(elements_.size());
    }
    std::size_t held() const override { return elements_.size(); }
    void keep() override {
        if (hls::detail::tracing)
            hls::detail::keep_tokens(this->name(), tokens_.data(), tokens_.size() * sizeof(T));
    }

  protected:
    queue(const char *name, int depth) : Channel(name, depth), room_(depth) {}

    void put(const T &value) {
        if (writer_ != hls::detail::current)
            take_end(writer_, "written");
        while (elements_.size() >= room_)
            wait(hls::detail::Wait::ROOM);
        elements_.push_back(value);
        if (hls::detail::tracing)
            tokens_.push_back(value);
        if (waiting_reader_ != nullptr)
            wake(waiting_reader_);
    }

    T take() {
        if (reader_ != hls::detail::current)
            take_end(reader_, "read");
        while (elements_.empty())
            wait(hls::detail::Wait::DATA);
        const T value = elements_.front();
        elements_.pop_front();
        if (waiting_writer_ != nullptr)
            wake(waiting_writer_);
        return value;
    }

  private:
    std::deque<T> elements_;
    std::size_t room_;
    std::vector<T> tokens_;
};

} // namespace detail

template <typename T> class istream : public virtual detail::queue<T> {
  public:
    T read() { return this->take(); }

  protected:
    istream() : detail::queue<T>("", 0) {}
};

template <typename T> class ostream : public virtual detail::queue<T> {
  public:
    void write(const T &value) { this->put(value); }

  protected:
    ostream() : detail::queue<T>("", 0) {}
};

template <typename T, std::uint64_t DEPTH = 2>
class stream : public istream<T>, public ostream<T> {
  public:
    explicit stream(const char *name = "(unnamed)") : detail::queue<T>(name, DEPTH) {}
};

template <typename T, std::uint64_t COUNT> class istreams {
  public:
    istream<T> &operator[](int at) { return *readers_[at]; }

  protected:
    istream<T> *readers_[COUNT];
};

template <typename T, std::uint64_t COUNT> class ostreams {
  public:
    ostream<T> &operator[](int at) { return *writers_[at]; }

  protected:
    ostream<T> *writers_[COUNT];
};

template <typename T, std::uint64_t COUNT, std::uint64_t DEPTH = 2>
class streams : public istreams<T, COUNT>, public ostreams<T, COUNT> {
  public:
    explicit streams(const char *name = "(unnamed)") {
        for (std::uint64_t at = 0; at < COUNT; at++) {
            streams_[at].set_name(std::string(name) + "[" + std::to_string(at) + "]");
            this->readers_[at] = &streams_[at];
            this->writers_[at] = &streams_[at];
        }
    }
    void share() {
        for (auto &one : streams_)
            hls::detail::share_channel(one);
    }

  private:
    stream<T, DEPTH> streams_[COUNT];
};

// Memory off the chip.
template <typename T> class mmap {
  public:
    mmap(T *values, std::uint64_t size) : values_(values), size_(size) {}
    template <typename Container>
    explicit mmap(Container &container) : mmap(container.data(), container.size()) {}
    T &operator[](std::uint64_t at) const { return values_[at]; }
    std::uint64_t size() const { return size_; }

  private:
    T *values_;
    std::uint64_t size_;
};

template <typename T> struct read_only_mmap : mmap<T> {
    using mmap<T>::mmap;
};

template <typename T> struct write_only_mmap : mmap<T> {
    using mmap<T>::mmap;
};

namespace detail {

template <typename T, std::uint64_t DEPTH> void share(stream<T, DEPTH> &one) {
    hls::detail::share_channel(one);
}
template <typename T, std::uint64_t COUNT, std::uint64_t DEPTH>
void share(streams<T, COUNT, DEPTH> &many) {
    many.share();
}
template <typename T> void share(const T &) {}

} // namespace detail

// The tasks of an upper task: they run when it goes out of scope.
class task {
  public:
    ~task() { hls::run_processes(); }

    template <typename... Parameters, typename... Arguments>
    task &invoke(void (*function)(Parameters...), Arguments &...arguments) {
        const auto call = [function, &arguments...] { function(arguments...); };
        const std::string name = "task " + std::to_string(++count_) + "()";
        hls::detail::begin_process(name.c_str(), new hls::detail::BodyOf<decltype(call)>(call));
        (detail::share(arguments), ...);
        return *this;
    }

  private:
    int count_ = 0;
};

// Runs a top task; the bitstream is for hardware.
template <typename... Parameters, typename... Arguments>
std::int64_t invoke(void (*top)(Parameters...), const std::string &, Arguments &&...arguments) {
    top(arguments...);
    return 0;
}

} // namespace tapa

#endif
