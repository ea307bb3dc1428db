// hls::stream for C simulation: a queue that refuses what hardware could not do.
//
// Processes run one after another, so a stream holds all that its producer writes, whatever its
// depth; whether the depths suffice while all processes run at once is told by the simulator. A
// read from an empty stream ends the program with exit code 4, and hls::check_drained() with 5 if
// a destroyed stream still held elements. The vendor's header of the same name is used instead
// when a design goes to hardware.

#ifndef STREAMOPT_HLS_STREAM
#define STREAMOPT_HLS_STREAM

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <string>

namespace hls {

namespace detail {

inline int &leftover_streams() {
    static int count = 0;
    return count;
}

[[noreturn]] inline void fail(const char *what, const std::string &name, int depth, int code) {
    std::fprintf(stderr, "hls::stream: %s stream %s (depth %d)\n", what, name.c_str(), depth);
    std::exit(code);
}

} // namespace detail

// DEPTH is the number of elements that fit in hardware; 0 for the tool's default.
template <typename T, int DEPTH = 0> class stream {
  public:
    stream() = default;
    explicit stream(const char *name) : name_(name) {}
    stream(const stream &) = delete;
    stream &operator=(const stream &) = delete;

    ~stream() {
        if (queue_.empty())
            return;
        detail::leftover_streams()++;
        std::fprintf(stderr, "hls::stream: %zu elements left in stream %s (depth %d)\n",
                     queue_.size(), name_.c_str(), DEPTH);
    }

    void set_name(const std::string &name) { name_ = name; }

    void write(const T &value) {
        queue_.push_back(value);
    }

    T read() {
        if (empty())
            detail::fail("read from empty", name_, DEPTH, 4);
        const T value = queue_.front();
        queue_.pop_front();
        return value;
    }

    void read(T &value) { value = read(); }
    bool empty() const { return queue_.empty(); }
    bool full() const { return false; }
    std::size_t size() const { return queue_.size(); }

  private:
    std::string name_ = "(unnamed)";
    std::deque<T> queue_;
};

// Names a stream, or every stream of an array of them: E, E[0], E[0][1], ...
template <typename T, int DEPTH> void set_name(stream<T, DEPTH> &one, const std::string &name) {
    one.set_name(name);
}

template <typename S, std::size_t COUNT> void set_name(S (&many)[COUNT], const std::string &name) {
    for (std::size_t at = 0; at < COUNT; at++)
        set_name(many[at], name + "[" + std::to_string(at) + "]");
}

// Ends the program with exit code 5 if a stream was destroyed with elements inside.
inline void check_drained() {
    if (detail::leftover_streams() != 0)
        std::exit(5);
}

} // namespace hls

#endif
