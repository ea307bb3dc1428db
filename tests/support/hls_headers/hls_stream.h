// A stream as a queue.

#pragma once
#include <queue>

namespace hls {
template <class T, int DEPTH = 0> class stream {
  public:
    stream() = default;
    stream(const char *) {}
    void write(const T &value) { queue_.push(value); }
    T read() {
        T value = queue_.front();
        queue_.pop();
        return value;
    }
    void read(T &value) { value = read(); }
    stream &operator<<(const T &value) {
        write(value);
        return *this;
    }
    stream &operator>>(T &value) {
        value = read();
        return *this;
    }

  private:
    std::queue<T> queue_;
};
} // namespace hls
