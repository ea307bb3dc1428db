// Scalars of sequential nests that run compiled: plain numbers of C, or numbers with a bound on how
// far other evaluations may be off (streamopt/verification/reference/in_order.py).
#ifndef STREAMOPT_IN_ORDER_H
#define STREAMOPT_IN_ORDER_H

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace in_order {

struct Unsure {};
struct Outside {
    int64_t subscript, extent;
};

constexpr double INF = std::numeric_limits<double>::infinity();
constexpr double SLACK = 1.0 + 0x1p-40;

inline int64_t at(int64_t subscript, int64_t extent) {
    if (subscript < 0 || subscript >= extent)
        throw Outside{subscript, extent};
    return subscript;
}
inline int64_t floored(int64_t value, int64_t divisor) {
    return value >= 0 ? value / divisor : -((divisor - 1 - value) / divisor);
}
inline int64_t modulo(int64_t value, int64_t divisor) {
    return value - divisor * floored(value, divisor);
}

// An integer of a width that C doesn't have, kept in the next wider one. It is computed with as that.
template <int W, class Kept> struct Narrow {
    Kept kept;

    Narrow() = default;
    template <class T> Narrow(T value) : kept(wrapped(uint64_t(value))) {}
    operator Kept() const { return kept; }

    static Kept wrapped(uint64_t value) {
        if constexpr (std::is_signed_v<Kept>)
            return Kept(int64_t(value << (64 - W)) >> (64 - W));
        else
            return Kept(value << (64 - W) >> (64 - W));
    }
};
template <int W, class B, class H, class S, class D>
using Holding = std::conditional_t<
    W <= 8, B, std::conditional_t<W <= 16, H, std::conditional_t<W <= 32, S, D>>>;
template <int W> using ap_int = Narrow<W, Holding<W, int8_t, int16_t, int32_t, int64_t>>;
template <int W> using ap_uint = Narrow<W, Holding<W, uint8_t, uint16_t, uint32_t, uint64_t>>;

template <class T> constexpr bool is_whole = std::is_integral_v<T>;
template <int W, class Kept> constexpr bool is_whole<Narrow<W, Kept>> = true;
template <class T> constexpr bool is_plain = is_whole<T> || std::is_floating_point_v<T>;
template <class T> constexpr bool is_signed = std::is_signed_v<T>;
template <int W, class Kept> constexpr bool is_signed<Narrow<W, Kept>> = std::is_signed_v<Kept>;

// A number, and how far an evaluation of the same operations in any allowed order may be off. Two
// evaluations whose operands are the same bits give the same bits: the bound stays 0.
template <class T> struct Number {
    T value;
    double bound;

    static constexpr double UNIT = std::numeric_limits<T>::epsilon() / 2;
    static constexpr double TINY = std::numeric_limits<T>::min();

    static Number of(T value, double propagated, bool is_same) {
        if (is_same)
            return {value, 0.0};
        const double size = std::fabs(double(value));
        const double found = (propagated * (1 + UNIT) + 2 * UNIT * size + 2 * TINY) * SLACK;
        return {value, size + found < std::numeric_limits<T>::max() ? found : INF};
    }
};

template <class T> bool same(const Number<T> &a) { return a.bound == 0.0; }
template <class T> bool same(const Number<T> &a, const Number<T> &b) {
    return a.bound == 0.0 && b.bound == 0.0;
}
template <class T> Number<T> operator+(Number<T> a, Number<T> b) {
    return Number<T>::of(a.value + b.value, a.bound + b.bound, same(a, b));
}
template <class T> Number<T> operator-(Number<T> a, Number<T> b) {
    return Number<T>::of(a.value - b.value, a.bound + b.bound, same(a, b));
}
template <class T> Number<T> operator*(Number<T> a, Number<T> b) {
    const double x = std::fabs(double(a.value)), y = std::fabs(double(b.value));
    const double moved = x * b.bound + y * a.bound + a.bound * b.bound;
    return Number<T>::of(a.value * b.value, moved, same(a, b));
}
template <class T> Number<T> operator/(Number<T> a, Number<T> b) {
    const double x = std::fabs(double(a.value)), y = std::fabs(double(b.value));
    if (!same(a, b) && !(y > b.bound))
        return {a.value / b.value, INF};
    const double moved = (a.bound * y + x * b.bound) / (y * (y - b.bound));
    return Number<T>::of(a.value / b.value, moved, same(a, b));
}
template <class T> Number<T> absolute(Number<T> a) { return {std::fabs(a.value), a.bound}; }
template <class T> Number<T> square_root(Number<T> a) {
    const double root = std::sqrt(double(a.value)), low = double(a.value) - a.bound;
    const double moved = low < 0 ? INF : a.bound / (root + std::sqrt(low));
    return Number<T>::of(T(root), same(a) ? 0.0 : moved, same(a));
}
template <class T> Number<T> rounded_to(Number<T> a, double (*function)(double)) {
    const double low = function(double(a.value) - a.bound), high = function(double(a.value) + a.bound);
    const double value = function(double(a.value));
    return {T(value), same(a) ? 0.0 : std::fmax(value - low, high - value)};
}
template <class T> double gap(Number<T> a, Number<T> b) {
    const double apart = double(a.value) - double(b.value), reach = (a.bound + b.bound) * SLACK;
    if (reach > 0.0 && !(std::fabs(apart) > reach))
        throw Unsure{};
    return apart;
}
// NaN compares as in C: what is certain is the comparison of the values.
template <class T> bool operator<(Number<T> a, Number<T> b) { return gap(a, b), a.value < b.value; }
template <class T> bool operator<=(Number<T> a, Number<T> b) { return gap(a, b), a.value <= b.value; }
template <class T> bool operator>(Number<T> a, Number<T> b) { return gap(a, b), a.value > b.value; }
template <class T> bool operator>=(Number<T> a, Number<T> b) { return gap(a, b), a.value >= b.value; }
template <class T> bool operator==(Number<T> a, Number<T> b) { return gap(a, b), a.value == b.value; }
template <class T> bool operator!=(Number<T> a, Number<T> b) { return gap(a, b), a.value != b.value; }

template <class T> T largest(T left, T right) {
    if constexpr (is_plain<T>) {
        return left != left ? right : right > left ? right : left;
    } else {
        const auto value = largest(left.value, right.value);
        const bool apart = std::fabs(double(left.value) - double(right.value)) >
                           (left.bound + right.bound) * SLACK;
        const double own = value == left.value ? left.bound : right.bound;
        return {value, apart ? own : std::fmax(left.bound, right.bound)};
    }
}
template <class T> T smallest(T left, T right) {
    if constexpr (is_plain<T>) {
        return left != left ? right : right < left ? right : left;
    } else {
        const auto value = smallest(left.value, right.value);
        const bool apart = std::fabs(double(left.value) - double(right.value)) >
                           (left.bound + right.bound) * SLACK;
        const double own = value == left.value ? left.bound : right.bound;
        return {value, apart ? own : std::fmax(left.bound, right.bound)};
    }
}
template <class T> T absolute_of(T a) {
    if constexpr (is_whole<T>)
        return a < 0 ? T(-uint64_t(a)) : a;
    else if constexpr (is_plain<T>)
        return std::fabs(a);
    else
        return absolute(a);
}
template <class T> T root_of(T a) {
    if constexpr (is_plain<T>)
        return T(std::sqrt(double(a)));
    else
        return square_root(a);
}
template <class T> T floor_of(T a) {
    if constexpr (is_plain<T>)
        return T(std::floor(double(a)));
    else
        return rounded_to(a, std::floor);
}
template <class T> T ceil_of(T a) {
    if constexpr (is_plain<T>)
        return T(std::ceil(double(a)));
    else
        return rounded_to(a, std::ceil);
}
template <class T> T nearest_of(T a) {
    if constexpr (is_plain<T>)
        return T(std::rint(double(a)));
    else
        return rounded_to(a, std::rint);
}

// Integers wrap around; what C leaves undefined is 0, as in the exact interpreter.
template <class T> T quotient(T left, T right) {
    if (right == 0)
        return 0;
    if (is_signed<T> && right == T(-1))
        return T(-uint64_t(left));
    return T(left / right);
}
template <class T> T remainder_of(T left, T right) {
    if (right == 0 || (is_signed<T> && right == T(-1)))
        return 0;
    return T(left % right);
}
template <class T> T shifted_left(T left, T right) {
    return right < 0 || right >= 64 ? T(0) : T(uint64_t(left) << right);
}
template <class T> T shifted_right(T left, T right) {
    return right >= 64 ? T(left < 0 ? -1 : 0) : T(left >> right);
}

template <class To> To whole_of(double value) {
    if (!std::isfinite(value))
        return 0;
    if (std::fabs(value) < 0x1p62)
        return To(int64_t(value));
    return To(__int128(std::fmod(std::trunc(value), 0x1p64)));
}

// A number modulo a prime: sums and products are the same in any order and with any brackets.
// Quotients exist but by 0; roots and the like are arbitrary functions, comparisons those of
// integers. So two orders of a program agree if they compute the same terms, and hardly else.
struct Residue {
    uint64_t value;
};
constexpr uint64_t PRIME = (uint64_t(1) << 61) - 1;

inline Residue residue(unsigned __int128 value) { return {uint64_t(value % PRIME)}; }
inline Residue operator+(Residue a, Residue b) { return residue((unsigned __int128)a.value + b.value); }
inline Residue operator-(Residue a, Residue b) {
    return residue((unsigned __int128)a.value + PRIME - b.value);
}
inline Residue operator*(Residue a, Residue b) { return residue((unsigned __int128)a.value * b.value); }
inline Residue power(Residue base, uint64_t exponent) {
    Residue found{1};
    for (; exponent != 0; exponent /= 2, base = base * base)
        if (exponent % 2 == 1)
            found = found * base;
    return found;
}
inline Residue operator/(Residue a, Residue b) { return a * power(b, PRIME - 2); }
inline bool operator<(Residue a, Residue b) { return a.value < b.value; }
inline bool operator<=(Residue a, Residue b) { return a.value <= b.value; }
inline bool operator>(Residue a, Residue b) { return a.value > b.value; }
inline bool operator>=(Residue a, Residue b) { return a.value >= b.value; }
inline bool operator==(Residue a, Residue b) { return a.value == b.value; }
inline bool operator!=(Residue a, Residue b) { return a.value != b.value; }
inline Residue largest(Residue a, Residue b) { return a < b ? b : a; }
inline Residue smallest(Residue a, Residue b) { return b < a ? b : a; }
inline Residue mixed(Residue a, uint64_t key) { return a * a * a + Residue{key} * a + Residue{key}; }
inline Residue absolute_of(Residue a) { return mixed(a, 1000003); }
inline Residue root_of(Residue a) { return mixed(a, 2000003); }
inline Residue floor_of(Residue a) { return mixed(a, 3000017); }
inline Residue ceil_of(Residue a) { return mixed(a, 4000037); }
inline Residue nearest_of(Residue a) { return mixed(a, 5000011); }

// Return the residue of a number of the source: a whole one times a power of two, exactly.
inline Residue residue_of(double value) {
    if (!std::isfinite(value))
        return {value > 0 ? PRIME - 1 : 0};
    int exponent;
    const auto whole = int64_t(std::frexp(value, &exponent) * 0x1p53);
    const Residue size{uint64_t(whole < 0 ? -whole : whole) % PRIME};
    const uint64_t places = exponent < 53 ? 53 - exponent : exponent - 53;
    const Residue scale = power({2}, places);
    const Residue found = exponent < 53 ? size / scale : size * scale;
    return whole < 0 ? Residue{0} - found : found;
}

template <class To, class From> To to(From value) {
    if constexpr (std::is_same_v<To, From>) {
        return value;
    } else if constexpr (std::is_same_v<To, Residue>) {
        return residue_of(double(value));
    } else if constexpr (std::is_same_v<From, Residue>) {
        throw Unsure{};
    } else if constexpr (is_plain<To> && is_plain<From>) {
        if constexpr (is_whole<To> && !is_whole<From>)
            return whole_of<To>(double(value));
        else
            return To(value);
    } else if constexpr (is_plain<To>) { // an integer of a number with a bound
        const To low = whole_of<To>(double(value.value) - value.bound);
        if (!std::isfinite(value.bound) || low != whole_of<To>(double(value.value) + value.bound))
            throw Unsure{};
        return low;
    } else if constexpr (is_plain<From>) {
        return {decltype(To::value)(value), 0.0};
    } else {
        using Own = decltype(To::value);
        if constexpr (sizeof(Own) >= sizeof(value.value))
            return {Own(value.value), value.bound};
        else
            return To::of(Own(value.value), value.bound, value.bound == 0.0);
    }
}

// The terms of one element so far, which may be added in any order ([1] section 4.2).
struct Terms {
    double mass = 0.0, propagated = 0.0, grain = INF;
    int64_t count = 0;
};

// Return the largest power of two that a number is a multiple of.
inline double grain_of(double value) {
    if (value == 0.0 || !std::isfinite(value))
        return value == 0.0 ? INF : 0.0;
    int exponent;
    const double fraction = std::frexp(value, &exponent);
    const auto whole = uint64_t(std::fabs(fraction) * 0x1p53);
    return std::ldexp(1.0, exponent - 53 + __builtin_ctzll(whole));
}

template <class T> void take(Terms &terms, Number<T> term) {
    const double size = std::fabs(double(term.value));
    terms.mass += size + term.bound;
    terms.propagated += term.bound;
    terms.grain = std::fmin(terms.grain, grain_of(double(term.value)));
    terms.count++;
}

// Add a term to an element; ``value`` is what the order of the source makes of it.
template <class T> Number<T> summed(Terms &terms, Number<T> own, Number<T> term, T value) {
    if (terms.count == 0)
        take(terms, own);
    take(terms, term);
    const double additions = double(terms.count - 1), unit = Number<T>::UNIT;
    const double most = terms.grain * (1 / (2 * unit)); // below it sums of grains are exact
    if (terms.propagated == 0.0 && (terms.count <= 2 || (terms.mass <= most && terms.grain > 0)))
        return {value, 0.0};
    const double spread = 2 * additions * unit / (1 - additions * unit);
    const double bound = (terms.propagated * (1 + spread) + spread * terms.mass +
                          2 * additions * Number<T>::TINY) * SLACK;
    return {value, terms.mass + bound < std::numeric_limits<T>::max() ? bound : INF};
}

} // namespace in_order

#endif
