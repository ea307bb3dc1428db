// Dataflow regions for C simulation: all processes run at once, as in hardware.
//
// Each call of a region is a coroutine with a stack of its own, which runs until it waits for data
// in a stream, or for room; no threads, so every run is the same. A process that takes an array
// starts when the process that fills it has ended. When nobody can go on, the program says who
// waits for what, and ends:
//
//   exit code 4   a process reads more than is written: the writer has ended
//             5   a process writes more than is read, or a stream is not empty at the end
//             6   processes wait for each other in a ring: a deadlock
//             7   a consumer is called before its producer, or a channel has two of them
//
// With a directory as STREAMOPT_TRACE in the environment, all that is written to a stream, and what
// a buffer holds when its producer has ended, goes into a file <name>.tokens there; standstill.tokens
// says who has ended ("ended f", "ended *"), and what streams hold ("holds 2 of 3 s[0]"; of 0 where
// it has no depth).

#ifndef STREAMOPT_HLS_DATAFLOW
#define STREAMOPT_HLS_DATAFLOW

#include <hls_stream.h>
#include <type_traits>

namespace hls {

namespace detail {

struct Body {
    virtual void run() = 0;
    virtual ~Body() = default;
};

template <typename Call> struct BodyOf : Body {
    Call call;

    explicit BodyOf(const Call &given) : call(given) {}
    void run() override { call(); }
};

// Begins a call of the region; what it shares with others follows.
void begin_process(const char *call, Body *body);
void share_channel(Channel &channel);

// `bytes` is the size of an array that is filled, 0 where it is not known.
void share_buffer(int argument, const void *address, bool fills, std::size_t bytes);

template <typename T> struct element {
    using type = T;
};
template <typename T> struct element<T &> : element<T> {};
template <typename T> struct element<T *> : element<T> {};
template <typename T, std::size_t COUNT> struct element<T[COUNT]> : element<T> {};

template <typename T> void share_channels(T &channels) {
    if constexpr (std::is_array_v<T>) {
        for (auto &one : channels)
            share_channels(one);
    } else if constexpr (!std::is_pointer_v<T>) {
        share_channel(channels);
    }
}

// Notes one argument; the process's own parameter says whether it only reads an array.
template <typename Parameter, typename Argument> void share(int place, Argument &argument) {
    using Element = typename element<Parameter>::type;
    if constexpr (std::is_base_of_v<Channel, Element>) {
        share_channels(argument);
    } else if constexpr (std::is_pointer_v<Parameter>) {
        constexpr std::size_t bytes = std::is_array_v<Argument> ? sizeof(Argument) : 0;
        share_buffer(place, argument, !std::is_const_v<Element>, bytes);
    }
}

} // namespace detail

// Adds a call to the region: its text, its function, what calls it, and its arguments.
template <typename Call, typename... Parameters, typename... Arguments>
void process(const char *text, void (*)(Parameters...), const Call &call, Arguments &&...arguments) {
    detail::begin_process(text, new detail::BodyOf<Call>(call));
    int place = 0;
    (detail::share<Parameters>(place++, arguments), ...);
}

// Runs the calls that were added.
void run_processes();

} // namespace hls

#endif
