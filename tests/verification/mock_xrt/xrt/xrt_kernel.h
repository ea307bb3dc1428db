// A kernel that is a function of the program: mock_kernel calls it with what it is given.
#ifndef MOCK_XRT_KERNEL
#define MOCK_XRT_KERNEL

#include <cstdlib>
#include <sstream>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#include <xrt/xrt_bo.h>

namespace xrt {

struct argument {
    void *device = nullptr; // of a buffer
    int group = -1;
    std::vector<char> value; // of a number
};

class kernel;

class run {
  public:
    explicit run(const kernel &started) : kernel_(&started) {}
    run() = default; // of what runs already
    void start() const;
    void wait() {}

  private:
    const kernel *kernel_ = nullptr;
};

} // namespace xrt

void mock_kernel(const std::string &name, const std::vector<xrt::argument> &arguments);

namespace xrt {

class kernel {
  public:
    kernel(const device &, const uuid &binary, const std::string &name) : name_(name) {
        if (binary.binary.empty())
            refuse("no binary");
    }
    // Each argument has a bank of its own, but where MOCK_BANKS lists them: "4,5,4".
    int group_id(int argument) const {
        const char *told = std::getenv("MOCK_BANKS");
        if (told == nullptr)
            return 100 + argument;
        std::istringstream banks(told);
        std::string bank;
        for (int at = 0; at <= argument; at++)
            std::getline(banks, bank, ',');
        return std::stoi(bank);
    }

    // Like XRT's, it sets a first argument: a kernel without any is started by its run.
    template <typename First, typename... Others>
    run operator()(const First &first, const Others &...others) {
        std::vector<argument> given;
        given.push_back(made(first));
        (given.push_back(made(others)), ...);
        for (std::size_t at = 0; at < given.size(); at++)
            if (given[at].device != nullptr && given[at].group != group_id(int(at)))
                refuse("argument " + std::to_string(at) + " is in the bank of another");
        mock_kernel(name_, given);
        return {};
    }

    void start() const { mock_kernel(name_, {}); }

  private:
    std::string name_;

    static argument made(const bo &buffer) {
        return {buffer.sides->device, buffer.sides->group, {}};
    }
    template <typename T, typename = std::enable_if_t<std::is_arithmetic_v<T>>>
    static argument made(const T &number) {
        const char *bytes = reinterpret_cast<const char *>(&number);
        return {nullptr, -1, std::vector<char>(bytes, bytes + sizeof(T))};
    }
};

inline void run::start() const {
    if (kernel_ == nullptr)
        refuse("a run that is started twice");
    kernel_->start();
}

// Calls a function with arguments of its own types.
template <typename T> T taken(const argument &given) {
    if constexpr (std::is_pointer_v<T>) {
        if (given.device == nullptr)
            refuse("a number for an array");
        return static_cast<T>(given.device);
    } else {
        if (given.value.size() != sizeof(T))
            refuse("not the number that the kernel takes");
        return *reinterpret_cast<const T *>(given.value.data());
    }
}

template <typename... Parameters, std::size_t... At>
void call(void (*function)(Parameters...), const std::vector<argument> &given,
          std::index_sequence<At...>) {
    if (given.size() != sizeof...(Parameters))
        refuse("not as many arguments as the kernel takes");
    function(taken<Parameters>(given[At])...);
}

template <typename... Parameters>
void call(void (*function)(Parameters...), const std::vector<argument> &given) {
    call(function, given, std::index_sequence_for<Parameters...>());
}

} // namespace xrt

#endif
