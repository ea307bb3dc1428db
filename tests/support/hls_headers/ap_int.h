// Whole numbers of any width up to 64 bits, as the vendor's types compute: sums and products lose
// nothing, an assignment drops upper bits. Enough for programs that are compared.

#pragma once
#include <cstdint>
#include <type_traits>

typedef __int128 wide_t;

template <int W, bool S> struct exact {
    wide_t v;
};

constexpr wide_t cut(wide_t v, int width, bool is_signed) {
    if (width >= 128)
        return v;
    const unsigned __int128 mask = ((unsigned __int128)1 << width) - 1;
    unsigned __int128 kept = (unsigned __int128)v & mask;
    if (is_signed && width > 0 && (kept >> (width - 1)) & 1)
        kept |= ~mask;
    return (wide_t)kept;
}

template <class T> struct width_of {
    static constexpr int bits = std::is_same<T, bool>::value ? 1 : 8 * sizeof(T);
    static constexpr bool is_signed = std::is_signed<T>::value;
};
template <int W, bool S> struct width_of<exact<W, S>> {
    static constexpr int bits = W;
    static constexpr bool is_signed = S;
};

template <int W, bool S> struct number : exact<W, S> {
    using exact<W, S>::v;
    number() { v = 0; }
    template <class T, class = std::enable_if_t<std::is_arithmetic<T>::value>> number(T value) {
        v = cut((wide_t)value, W, S);
    }
    template <int W2, bool S2> number(const exact<W2, S2> &other) { v = cut(other.v, W, S); }
    operator long long() const { return (long long)v; }
    struct part {
        number &of;
        int high, low;
        operator long long() const { return (long long)cut(of.v >> low, high - low + 1, false); }
        int to_int() const { return (int)(long long)*this; }
        template <class T> part &operator=(const T &value) {
            const wide_t mask = (((wide_t)1 << (high - low + 1)) - 1) << low;
            of.v = cut((of.v & ~mask) | (((wide_t)(long long)value << low) & mask), W, S);
            return *this;
        }
        part &operator=(const part &value) { return *this = (long long)value; }
    };
    part range(int high, int low) { return {*this, high, low}; }
    part operator()(int high, int low) { return {*this, high, low}; }
    part operator[](int at) { return {*this, at, at}; }
    bool operator[](int at) const { return (v >> at) & 1; }
    int to_int() const { return (int)v; }
    long long to_int64() const { return (long long)v; }
    template <int W2, bool S2> bool operator==(const number<W2, S2> &o) const { return v == o.v; }
    template <int W2, bool S2> bool operator!=(const number<W2, S2> &o) const { return v != o.v; }
    int length() const { return W; }
    number(const part &bits) : number((long long)bits) {}
    number &operator++() { return *this = *this + number<2, true>(1); }
    number operator++(int) { number old = *this; ++*this; return old; }
    template <class T> number &operator+=(const T &o) { return *this = *this + o; }
    template <class T> number &operator-=(const T &o) { return *this = *this - o; }
    template <class T> number &operator*=(const T &o) { return *this = *this * o; }
    template <class T> number &operator|=(const T &o) { return *this = *this | o; }
    template <class T> number &operator&=(const T &o) { return *this = *this & o; }
    template <class T> number &operator^=(const T &o) { return *this = *this ^ o; }
};
template <int W, bool S> struct width_of<number<W, S>> : width_of<exact<W, S>> {};

template <int W> struct ap_int : number<W, true> {
    using number<W, true>::number;
};
template <int W> struct ap_uint : number<W, false> {
    using number<W, false>::number;
};
template <int W> struct width_of<ap_int<W>> : width_of<exact<W, true>> {};
template <int W> struct width_of<ap_uint<W>> : width_of<exact<W, false>> {};

template <class T> wide_t whole(const T &x) { return (wide_t)x; }
template <int W, bool S> wide_t whole(const number<W, S> &x) { return x.v; }
template <int W> wide_t whole(const ap_int<W> &x) { return x.v; }
template <int W> wide_t whole(const ap_uint<W> &x) { return x.v; }

template <class T> struct is_wide : std::false_type {};
template <int W, bool S> struct is_wide<number<W, S>> : std::true_type {};
template <int W> struct is_wide<ap_int<W>> : std::true_type {};
template <int W> struct is_wide<ap_uint<W>> : std::true_type {};
template <class A, class B>
using both = std::enable_if_t<(is_wide<A>::value && (is_wide<B>::value || std::is_integral<B>::value)) ||
                              (is_wide<B>::value && std::is_integral<A>::value)>;

constexpr int more(int a, int b) { return a > b ? a : b; }
#define EXACT_OPERATOR(op, result)                                                                 \
    template <class A, class B, class = both<A, B>> auto operator op(const A &a, const B &b) {     \
        constexpr int wa = width_of<A>::bits, wb = width_of<B>::bits;                              \
        constexpr bool sa = width_of<A>::is_signed, sb = width_of<B>::is_signed;                   \
        constexpr int w = (result);                                                                \
        return number<w, (sa || sb || #op[0] == '-')>(exact<128, true>{whole(a) op whole(b)});     \
    }
EXACT_OPERATOR(+, more(wa + (sb && !sa), wb + (sa && !sb)) + 1)
EXACT_OPERATOR(-, more(wa + (sb && !sa), wb + (sa && !sb)) + 1)
EXACT_OPERATOR(*, wa + wb)
EXACT_OPERATOR(/, wa + sb)
EXACT_OPERATOR(%, more(wa, wb))
EXACT_OPERATOR(&, more(wa + (sb && !sa), wb + (sa && !sb)))
EXACT_OPERATOR(|, more(wa + (sb && !sa), wb + (sa && !sb)))
EXACT_OPERATOR(^, more(wa + (sb && !sa), wb + (sa && !sb)))
#define EXACT_COMPARISON(op)                                                                       \
    template <class A, class B, class = both<A, B>> bool operator op(const A &a, const B &b) {     \
        return whole(a) op whole(b);                                                               \
    }
EXACT_COMPARISON(<)
EXACT_COMPARISON(<=)
EXACT_COMPARISON(>)
EXACT_COMPARISON(>=)
EXACT_COMPARISON(==)
EXACT_COMPARISON(!=)
template <class A, class B, class = std::enable_if_t<is_wide<A>::value>>
auto operator<<(const A &a, const B &b) {
    return number<width_of<A>::bits, width_of<A>::is_signed>(exact<128, true>{whole(a) << (int)whole(b)});
}
template <class A, class B, class = std::enable_if_t<is_wide<A>::value>>
auto operator>>(const A &a, const B &b) {
    return number<width_of<A>::bits, width_of<A>::is_signed>(exact<128, true>{whole(a) >> (int)whole(b)});
}
template <class A, class = std::enable_if_t<is_wide<A>::value>> auto operator-(const A &a) {
    return number<width_of<A>::bits + 1, true>(exact<128, true>{-whole(a)});
}
