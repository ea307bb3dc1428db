// ap_fixed for C simulation: the part of the vendor's type that emitted designs use.
//
// ap_fixed<W, I, Q, O> is a mantissa of W bits times 2^(I - W). Sums, differences and products are
// exact, in the format that has room for them; quotients are cut off towards zero. A conversion
// rounds as Q says, down (AP_TRN) or to nearest with halves up (AP_RND), and leaves the range as O
// says: by dropping upper bits (AP_WRAP) or for the nearest end (AP_SAT). Formats have at most 128
// bits here. A mantissa is stored in the smallest integer of 8, 16, ... bits that has room for it.
// The vendor's header of the same name is used instead when a design goes to hardware.

#ifndef STREAMOPT_AP_FIXED
#define STREAMOPT_AP_FIXED

#include <cmath>
#include <cstdint>
#include <type_traits>

template <int W> class ap_int;
template <int W> class ap_uint;

enum ap_q_mode { AP_RND, AP_TRN };
enum ap_o_mode { AP_SAT, AP_WRAP };

namespace streamopt_fixed {

__extension__ typedef __int128 whole;
__extension__ typedef unsigned __int128 bits;

template <typename T> struct is_whole : std::is_integral<T> {};
template <int W> struct is_whole<ap_int<W>> : std::true_type {};
template <int W> struct is_whole<ap_uint<W>> : std::true_type {};

constexpr int larger(int one, int other) { return one > other ? one : other; }

template <int W>
using storage = std::conditional_t<
    W <= 8, std::int8_t,
    std::conditional_t<W <= 16, std::int16_t,
                       std::conditional_t<W <= 32, std::int32_t,
                                          std::conditional_t<W <= 64, std::int64_t, whole>>>>;

// Shifts left, or right with what is shifted out dropped; the sign stays.
constexpr whole shifted(whole value, int left) {
    if (left >= 0)
        return left < 128 ? whole(bits(value) << left) : 0;
    return left > -128 ? value >> -left : value >> 127;
}

constexpr whole highest(int width) { return whole((~bits(0) >> 1) >> (128 - width)); }

constexpr whole contained(whole value, int width, ap_o_mode overflow) {
    const whole high = highest(width);
    if (value <= high && value >= -high - 1)
        return value;
    if (overflow == AP_SAT)
        return value < 0 ? -high - 1 : high;
    return shifted(shifted(value, 128 - width), width - 128);
}

// A mantissa with as many bits behind the point as another format has, brought into its range.
constexpr whole moved(whole value, int left, int width, ap_q_mode rounding, ap_o_mode overflow) {
    if (left < 0) {
        const bool half = rounding == AP_RND && (shifted(value, left + 1) & 1) != 0;
        return contained(shifted(value, left) + (half ? 1 : 0), width, overflow);
    }
    const whole limit = highest(128);
    const bool fits = value <= shifted(limit, -left) && value >= -shifted(limit, -left) - 1;
    if (!fits && overflow == AP_SAT)
        return value < 0 ? -highest(width) - 1 : highest(width);
    return contained(shifted(value, left), width, overflow);
}

// A finite number as a mantissa with so many bits behind the point; 0 for any other.
inline whole scaled(double value, int fraction, int width, ap_q_mode rounding, ap_o_mode overflow) {
    if (!std::isfinite(value))
        return 0;
    int exponent = 0;
    const whole digits = whole(std::ldexp(std::frexp(value, &exponent), 53));
    return moved(digits, exponent - 53 + fraction, width, rounding, overflow);
}

} // namespace streamopt_fixed

template <int W, int I, ap_q_mode Q = AP_TRN, ap_o_mode O = AP_WRAP> class ap_fixed {
    static_assert(W >= 1 && W <= 128, "a fixed-point format has 1 to 128 bits");

  public:
    static constexpr int width = W, iwidth = I, fraction = W - I;

    ap_fixed() = default;

    template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
    ap_fixed(T value)
        : mantissa_(storage(streamopt_fixed::moved(streamopt_fixed::whole(value), W - I, W, Q, O))) {}

    ap_fixed(double value) : mantissa_(storage(streamopt_fixed::scaled(value, W - I, W, Q, O))) {}
    ap_fixed(float value) : ap_fixed(double(value)) {}

    template <int W2, int I2, ap_q_mode Q2, ap_o_mode O2>
    ap_fixed(const ap_fixed<W2, I2, Q2, O2> &other)
        : mantissa_(storage(streamopt_fixed::moved(other.mantissa(), (W - I) - (W2 - I2), W, Q, O))) {}

    static ap_fixed of_mantissa(streamopt_fixed::whole mantissa) {
        ap_fixed made;
        made.mantissa_ = storage(mantissa);
        return made;
    }

    streamopt_fixed::whole mantissa() const { return mantissa_; }
    double to_double() const { return std::ldexp(double(mantissa_), I - W); }
    explicit operator double() const { return to_double(); }
    explicit operator float() const { return float(to_double()); }

    // Whole numbers are cut off towards zero.
    template <typename T, std::enable_if_t<streamopt_fixed::is_whole<T>::value, int> = 0>
    explicit operator T() const {
        const streamopt_fixed::whole down = streamopt_fixed::shifted(mantissa_, I - W);
        const bool cut = I < W && mantissa_ < 0 &&
                         streamopt_fixed::shifted(down, W - I) != streamopt_fixed::whole(mantissa_);
        return T(down + (cut ? 1 : 0));
    }

    ap_fixed<W + 1, I + 1> operator-() const {
        return ap_fixed<W + 1, I + 1>::of_mantissa(-mantissa());
    }

  private:
    using storage = streamopt_fixed::storage<W>;
    storage mantissa_;
};

namespace streamopt_fixed {

// The format of a sum, and both mantissas with its point.
template <int W1, int I1, int W2, int I2> struct Sum {
    static constexpr int integer = larger(I1, I2) + 1, fraction = larger(W1 - I1, W2 - I2);
    using type = ap_fixed<integer + fraction, integer>;
    static whole left(whole mantissa) { return shifted(mantissa, fraction - (W1 - I1)); }
    static whole right(whole mantissa) { return shifted(mantissa, fraction - (W2 - I2)); }
};

} // namespace streamopt_fixed

#define STREAMOPT_FIXED_PAIR                                                                       \
    template <int W1, int I1, ap_q_mode Q1, ap_o_mode O1, int W2, int I2, ap_q_mode Q2,            \
              ap_o_mode O2>
#define STREAMOPT_FIXED_SUM(SYMBOL)                                                                \
    STREAMOPT_FIXED_PAIR                                                                           \
    auto operator SYMBOL(const ap_fixed<W1, I1, Q1, O1> &left,                                     \
                         const ap_fixed<W2, I2, Q2, O2> &right) {                                  \
        using sum = streamopt_fixed::Sum<W1, I1, W2, I2>;                                          \
        return sum::type::of_mantissa(                                                             \
            sum::left(left.mantissa()) SYMBOL sum::right(right.mantissa()));                       \
    }
#define STREAMOPT_FIXED_COMPARISON(SYMBOL)                                                         \
    STREAMOPT_FIXED_PAIR                                                                           \
    bool operator SYMBOL(const ap_fixed<W1, I1, Q1, O1> &left,                                     \
                         const ap_fixed<W2, I2, Q2, O2> &right) {                                  \
        using sum = streamopt_fixed::Sum<W1, I1, W2, I2>;                                          \
        return sum::left(left.mantissa()) SYMBOL sum::right(right.mantissa());                     \
    }

STREAMOPT_FIXED_SUM(+)
STREAMOPT_FIXED_SUM(-)
STREAMOPT_FIXED_COMPARISON(==)
STREAMOPT_FIXED_COMPARISON(!=)
STREAMOPT_FIXED_COMPARISON(<)
STREAMOPT_FIXED_COMPARISON(<=)
STREAMOPT_FIXED_COMPARISON(>)
STREAMOPT_FIXED_COMPARISON(>=)

STREAMOPT_FIXED_PAIR
auto operator*(const ap_fixed<W1, I1, Q1, O1> &left, const ap_fixed<W2, I2, Q2, O2> &right) {
    return ap_fixed<W1 + W2, I1 + I2>::of_mantissa(left.mantissa() * right.mantissa());
}

// 0 where the divisor is 0, which hardware leaves open.
STREAMOPT_FIXED_PAIR
auto operator/(const ap_fixed<W1, I1, Q1, O1> &left, const ap_fixed<W2, I2, Q2, O2> &right) {
    constexpr int more = streamopt_fixed::larger(W2 - I2, 0), integer = I1 + (W2 - I2) + 1;
    using quotient = ap_fixed<W1 + more + 1, integer>;
    if (right.mantissa() == 0)
        return quotient::of_mantissa(0);
    return quotient::of_mantissa(streamopt_fixed::shifted(left.mantissa(), more) /
                                 right.mantissa());
}

#undef STREAMOPT_FIXED_COMPARISON
#undef STREAMOPT_FIXED_SUM
#undef STREAMOPT_FIXED_PAIR

#endif
