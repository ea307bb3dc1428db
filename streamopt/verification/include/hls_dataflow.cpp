// The coroutines of dataflow regions; see hls_dataflow.h.

#include "hls_dataflow.h"
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>
#include <vector>

#if defined(__SANITIZE_ADDRESS__)
#define STREAMOPT_TELL_SANITIZER
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define STREAMOPT_TELL_SANITIZER
#endif
#endif
#ifdef STREAMOPT_TELL_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace hls {

namespace detail {

int current = 0;
const bool tracing = std::getenv("STREAMOPT_TRACE") != nullptr;

// An array that processes share.
struct Buffer {
    std::string name;
    const void *address;
    std::size_t bytes;
};

// A call of a region: what it shares, its stack, and what it waits for.
struct Process {
    int number;
    std::string name;
    std::vector<std::string> arguments;
    std::unique_ptr<Body> body;
    std::vector<Buffer> reads, writes;
    ucontext_t context;
    void *stack = nullptr;
    std::size_t stack_bytes = 0;
    bool ended = false;
    Wait wait = Wait::NOTHING;
    Channel *channel = nullptr;
    Process *filler = nullptr;

    Process(int place, const std::string &call, Body *given) : number(place), body(given) {
        const std::size_t open = call.find('('), close = call.rfind(')');
        name = call.substr(0, open);
        std::string word;
        for (std::size_t at = open + 1; at <= close; at++)
            if (call[at] == ',' || at == close)
                arguments.push_back(std::exchange(word, ""));
            else if (call[at] != ' ')
                word += call[at];
    }

    Process(const Process &) = delete;
    Process &operator=(const Process &) = delete;

    ~Process() {
        if (stack != nullptr)
            munmap(stack, stack_bytes);
    }

    // Local arrays are as large as the buffers they stand for; address space that nobody touches
    // costs nothing, but may be limited. STREAMOPT_STACK says how many bytes a process needs.
    void make_stack() {
        const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
        const char *told = std::getenv("STREAMOPT_STACK");
        const std::size_t page = 4096, most = std::size_t(1) << 30;
        const std::size_t needed = told == nullptr ? most : std::strtoull(told, nullptr, 10);
        const std::size_t least = told == nullptr ? std::size_t(1) << 20 : needed;
        for (std::size_t bytes = (needed + 2 * page) / page * page; bytes >= least; bytes /= 2) {
            void *place = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags, -1, 0);
            if (place == MAP_FAILED)
                continue;
            stack = place;
            stack_bytes = bytes;
            mprotect(stack, page, PROT_NONE);
            return;
        }
        stop(3, "no memory for the stack of process " + name);
    }
};

namespace {

std::set<Channel *> channels;
int leftover_streams = 0;

// The buffer that one process fills and another one reads; null if there is none.
const Buffer *shared(const Process &writer, const Process &reader) {
    for (const Buffer &read : reader.reads)
        for (const Buffer &written : writer.writes)
            if (read.address == written.address && &writer != &reader)
                return &read;
    return nullptr;
}

class Region {
  public:
    std::vector<std::unique_ptr<Process>> processes;
    std::vector<std::pair<const Channel *, Process *>> users;
    std::deque<Process *> ready;
    Process *running = nullptr;

    void run() {
        for (auto &one : processes)
            prepare(*one);
        next();
        for (const auto &one : processes)
            if (!one->ended)
                report();
        processes.clear();
        users.clear();
    }

    // Goes on with another process, or with run() when nobody can.
    void next() {
        Process *from = running, *to = nullptr;
        if (!ready.empty()) {
            to = ready.front();
            ready.pop_front();
        }
        running = to;
        current = to == nullptr ? 0 : to->number;
        if (from == to)
            return;
        ucontext_t &left = from == nullptr ? main_ : from->context;
        ucontext_t &entered = to == nullptr ? main_ : to->context;
#ifdef STREAMOPT_TELL_SANITIZER
        void *fake = nullptr;
        const bool ends = from != nullptr && from->ended;
        __sanitizer_start_switch_fiber(ends ? nullptr : &fake, to ? to->stack : main_bottom_,
                                       to ? to->stack_bytes : main_bytes_);
        swapcontext(&left, &entered);
        __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#else
        swapcontext(&left, &entered);
#endif
    }

  private:
    ucontext_t main_;
#ifdef STREAMOPT_TELL_SANITIZER
    const void *main_bottom_ = nullptr;
    std::size_t main_bytes_ = 0;
#endif

    static void enter();

    // Who fills a buffer that a process reads, and has not ended; null if nobody does. Memory outside
    // that a later process writes is updated in place: each element after it was read.
    Process *filler(const Process &reader) const {
        for (const auto &writer : processes) {
            const Buffer *both = writer->ended ? nullptr : shared(*writer, reader);
            if (both != nullptr && (both->bytes != 0 || writer->number < reader.number))
                return writer.get();
        }
        return nullptr;
    }

    void prepare(Process &one) {
        one.filler = filler(one);
        if (one.filler != nullptr && one.filler->number > one.number)
            stop(7, one.name + " is called before " + one.filler->name + ", which fills its buffer " +
                        shared(*one.filler, one)->name);
        one.make_stack();
        getcontext(&one.context);
        one.context.uc_stack.ss_sp = one.stack;
        one.context.uc_stack.ss_size = one.stack_bytes;
        one.context.uc_link = nullptr;
        makecontext(&one.context, &Region::enter, 0);
        if (one.filler == nullptr)
            ready.push_back(&one);
        else
            one.wait = Wait::BUFFER;
    }

    void end(Process &mine) {
        mine.ended = true;
        for (const Buffer &buffer : mine.writes)
            if (buffer.bytes != 0)
                keep_tokens(buffer.name, buffer.address, buffer.bytes);
        for (const auto &other : processes) {
            if (other->wait != Wait::BUFFER || other->filler != &mine)
                continue;
            other->filler = filler(*other);
            if (other->filler == nullptr) {
                other->wait = Wait::NOTHING;
                ready.push_back(other.get());
            }
        }
    }

    // The process at the other end of what one waits for; null where there is none.
    const Process *peer(const Process &one) const {
        if (one.wait == Wait::BUFFER)
            return one.filler;
        for (const auto &[channel, user] : users)
            if (channel == one.channel && user != &one)
                return user;
        return nullptr;
    }

    std::string sentence(const Process &one) const {
        const Process &other = *peer(one);
        if (one.wait == Wait::BUFFER)
            return one.name + " waits for buffer " + shared(other, one)->name + ", which " +
                   other.name + " fills";
        const bool data = one.wait == Wait::DATA;
        return one.name + " waits for " + (data ? "data" : "room") + " in stream " +
               one.channel->label() + ", which " + other.name + (data ? " writes" : " reads");
    }

    // Says who waits for whom: for a process that has ended, or else in a ring.
    [[noreturn]] void report() const {
        const Process *at = nullptr;
        for (const auto &one : processes) {
            if (one->ended)
                continue;
            at = one.get();
            const Process *other = peer(*one);
            if (other != nullptr && !other->ended)
                continue;
            const std::string why =
                other != nullptr ? other->name + " has ended" : "nobody is at its other end";
            if (one->wait == Wait::DATA)
                stop(4, one->name + " reads from empty stream " + one->channel->label() + ": " + why);
            stop(5, one->name + " writes to full stream " + one->channel->label() + ": " + why);
        }
        for (std::size_t step = 0; step < processes.size(); step++)
            at = peer(*at); // after so many steps it is one of the ring
        std::string text;
        const Process *first = at;
        do {
            text += (text.empty() ? "" : "\ndataflow: ") + sentence(*at);
            at = peer(*at);
        } while (at != first);
        stop(6, text);
    }
};

Region region;

void Region::enter() {
#ifdef STREAMOPT_TELL_SANITIZER
    const void *bottom = nullptr;
    std::size_t bytes = 0;
    __sanitizer_finish_switch_fiber(nullptr, &bottom, &bytes);
    if (region.main_bottom_ == nullptr) { // the first one comes from there
        region.main_bottom_ = bottom;
        region.main_bytes_ = bytes;
    }
#endif
    Process &mine = *region.running;
    mine.body->run();
    region.end(mine);
    region.next();
    std::abort(); // nobody goes on with a process that has ended
}

} // namespace

// Keeps who has ended and what each stream holds, for whoever looks for the cause of a standstill.
static void keep_state() {
    std::string text;
    for (const auto &one : region.processes)
        if (one->ended)
            text += "ended " + one->name + "\n";
    for (const Channel *channel : channels)
        text += "holds " + std::to_string(channel->held()) + " of " +
                std::to_string(channel->depth()) + " " + channel->name() + "\n";
    keep_tokens("standstill", text.data(), text.size());
}

// Ends the program; what was traced so far is kept.
[[noreturn]] void stop(int code, const std::string &what) {
    for (Channel *channel : channels)
        channel->keep();
    keep_state();
    std::fflush(stdout);
    std::fprintf(stderr, "dataflow: %s\n", what.c_str());
    std::fflush(stderr);
    std::_Exit(code);
}

void keep_tokens(const std::string &name, const void *values, std::size_t bytes) {
    const char *directory = std::getenv("STREAMOPT_TRACE");
    if (directory == nullptr)
        return;
    const std::string path = std::string(directory) + "/" + name + ".tokens";
    if (std::FILE *file = std::fopen(path.c_str(), "wb")) {
        std::fwrite(values, 1, bytes, file);
        std::fclose(file);
    }
}

Channel::Channel(const char *name, int depth) : name_(name), depth_(depth) {
    channels.insert(this);
}

Channel::~Channel() { channels.erase(this); }

std::string Channel::label() const { return name_ + " (depth " + std::to_string(depth_) + ")"; }

void Channel::take_end(int &end, const char *verb) {
    const auto call = [](int number) { return region.processes[number - 1]->name; };
    if (end != 0)
        stop(7, "stream " + label() + " is " + verb + " by two processes: " + call(end) + " and " +
                    call(current));
    end = current;
    if (writer_ == 0 || reader_ == 0)
        return;
    ends_ = call(writer_) + " writes it, " + call(reader_) + " reads it";
    if (writer_ > reader_)
        stop(7, call(reader_) + " is called before " + call(writer_) + ", which writes its stream " +
                    label());
}

void Channel::wait(Wait what) {
    Process &mine = *region.running;
    mine.wait = what;
    mine.channel = this;
    (what == Wait::DATA ? waiting_reader_ : waiting_writer_) = &mine;
    region.next();
    mine.wait = Wait::NOTHING;
}

void Channel::wake(Process *&waiting) { region.ready.push_back(std::exchange(waiting, nullptr)); }

void Channel::leave(std::size_t elements) const {
    leftover_streams++;
    std::fprintf(stderr, "dataflow: %zu elements left in stream %s: %s\n", elements,
                 label().c_str(), ends_.c_str());
}

void begin_process(const char *call, Body *body) {
    const int number = static_cast<int>(region.processes.size()) + 1;
    region.processes.push_back(std::make_unique<Process>(number, call, body));
}

void share_channel(Channel &channel) {
    region.users.emplace_back(&channel, region.processes.back().get());
}

void share_buffer(int argument, const void *address, bool fills, std::size_t bytes) {
    Process &mine = *region.processes.back();
    (fills ? mine.writes : mine.reads).push_back({mine.arguments.at(argument), address, bytes});
}

} // namespace detail

void run_processes() { detail::region.run(); }

void check_drained() {
    if (detail::leftover_streams == 0)
        return;
    detail::keep_tokens("standstill", "ended *\n", 8);
    std::exit(5);
}

} // namespace hls
