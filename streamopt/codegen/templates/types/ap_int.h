// ap_int for C simulation: the part of the vendor's type that emitted designs use.
//
// ap_int<W> is a whole number of W bits in two's complement, up to 64, ap_uint<W> one that is never
// negative; a conversion drops upper bits. Arithmetic is that of long long. A number is stored in the
// smallest integer of 8, 16, ... bits that has room for it. The vendor's header of the same name is used instead when
// a design goes to hardware.

#ifndef STREAMOPT_AP_INT
#define STREAMOPT_AP_INT

#include <cstdint>
#include <type_traits>

namespace streamopt_whole {

template <int W>
using storage = std::conditional_t<
    W <= 8, std::int8_t,
    std::conditional_t<W <= 16, std::int16_t,
                       std::conditional_t<W <= 32, std::int32_t, std::int64_t>>>;

} // namespace streamopt_whole

template <int W> class ap_int {
    static_assert(W >= 1 && W <= 64, "a whole number has 1 to 64 bits");

  public:
    ap_int() = default;
    ap_int(long long value) : value_(static_cast<storage>(wrapped(value))) {}
    template <int W2>
    ap_int(const ap_int<W2> &other) : ap_int(static_cast<long long>(other)) {}
    operator long long() const { return value_; }

  private:
    using storage = streamopt_whole::storage<W>;

    static long long wrapped(long long value) {
        const unsigned long long sign = 1ULL << (W - 1), kept = ~0ULL >> (64 - W);
        return static_cast<long long>(((static_cast<unsigned long long>(value) & kept) ^ sign) - sign);
    }

    storage value_;
};

template <int W> class ap_uint {
    static_assert(W >= 1 && W <= 63, "a whole number that is never negative has 1 to 63 bits");

  public:
    ap_uint() = default;
    ap_uint(long long value) : value_(static_cast<storage>(value & (~0ULL >> (64 - W)))) {}
    operator long long() const { return value_; }

  private:
    using storage = std::make_unsigned_t<streamopt_whole::storage<W>>;

    storage value_;
};

#endif
