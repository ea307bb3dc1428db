// hls::stream for C simulation: a FIFO that refuses what hardware could not do.
//
// Inside a dataflow region (hls_dataflow.h) a stream holds as many elements as its depth says: who
// writes to a full one, or reads from an empty one, waits for the other side. Elsewhere, and
// without a depth, it holds whatever is written, and a read from an empty stream ends the program
// with exit code 4. hls::check_drained() ends it with 5 if a destroyed stream still held elements.
// The vendor's header of the same name is used instead when a design goes to hardware. Programs
// are linked with hls_dataflow.cpp.

#ifndef STREAMOPT_HLS_STREAM
#define STREAMOPT_HLS_STREAM

#include <cstddef>
#include <string>
#include <vector>

namespace hls {

namespace detail {

enum class Wait { NOTHING, DATA, ROOM, BUFFER };

struct Process;

// Which call of a dataflow region runs: 1 for the first one, 0 outside of regions.
extern int current;

// Whether streams remember what was written to them.
extern const bool tracing;

[[noreturn]] void stop(int code, const std::string &what);
void keep_tokens(const std::string &name, const void *values, std::size_t bytes);

// What two processes share, without its elements.
class Channel {
  public:
    const std::string &name() const { return name_; }
    void set_name(const std::string &name) { name_ = name; }
    std::string label() const;
    int depth() const { return depth_; }
    virtual std::size_t held() const = 0;
    virtual void keep() = 0;

  protected:
    Channel(const char *name, int depth);
    virtual ~Channel();
    Channel(const Channel &) = delete;
    Channel &operator=(const Channel &) = delete;

    void take_end(int &end, const char *verb);
    void wait(Wait what);
    void wake(Process *&waiting);
    void leave(std::size_t elements) const;

    int writer_ = 0, reader_ = 0; // calls; 0 for none so far
    Process *waiting_writer_ = nullptr, *waiting_reader_ = nullptr;

  private:
    std::string name_;
    int depth_;
    std::string ends_ = "nobody reads it";
};

} // namespace detail

// DEPTH is the number of elements that fit in hardware; 0 for the tool's default.
template <typename T, int DEPTH = 0> class stream : public detail::Channel {
  public:
    explicit stream(const char *name = "(unnamed)") : Channel(name, DEPTH), ring_(1) {}

    ~stream() {
        keep();
        if (size() != 0)
            leave(size());
    }

    void write(const T &value) {
        if (detail::current != 0) {
            if (writer_ != detail::current)
                take_end(writer_, "written");
            while (full())
                wait(detail::Wait::ROOM);
        }
        if (size() == ring_.size())
            grow();
        ring_[last_++ & (ring_.size() - 1)] = value;
        if (waiting_reader_ != nullptr)
            wake(waiting_reader_);
        if (detail::tracing)
            tokens_.push_back(value);
    }

    T read() {
        if (detail::current != 0) {
            if (reader_ != detail::current)
                take_end(reader_, "read");
            while (empty())
                wait(detail::Wait::DATA);
        } else if (empty()) {
            detail::stop(4, "read from empty stream " + label());
        }
        const T value = ring_[first_++ & (ring_.size() - 1)];
        if (waiting_writer_ != nullptr)
            wake(waiting_writer_);
        return value;
    }

    void read(T &value) { value = read(); }
    bool empty() const { return first_ == last_; }
    bool full() const { return DEPTH > 0 && size() >= std::size_t(DEPTH); }
    std::size_t size() const { return last_ - first_; }
    std::size_t held() const override { return size(); }

    void keep() override {
        if (detail::tracing)
            detail::keep_tokens(name(), tokens_.data(), tokens_.size() * sizeof(T));
    }

  private:
    std::vector<T> ring_; // a power of two long
    std::size_t first_ = 0, last_ = 0;
    std::vector<T> tokens_;

    void grow() {
        std::vector<T> longer(2 * ring_.size());
        for (std::size_t at = first_; at != last_; at++)
            longer[at & (longer.size() - 1)] = ring_[at & (ring_.size() - 1)];
        ring_.swap(longer);
    }
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
void check_drained();

} // namespace hls

#endif
