// half for C simulation: IEEE 754 binary16, rounded to nearest even after each operation.
//
// Sums, differences, products and quotients are computed in float and rounded once more, which
// gives the nearest half: a float has more than twice as many digits, and two. The vendor's header
// of the same name is used instead when a design goes to hardware.

#ifndef STREAMOPT_HLS_HALF
#define STREAMOPT_HLS_HALF

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

class half {
  public:
    half() = default;

    template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
    half(T value) : bits_(rounded(double(value))) {}

    explicit operator float() const { return float(value()); }
    explicit operator double() const { return value(); }

    template <typename T, std::enable_if_t<std::is_integral<T>::value, int> = 0>
    explicit operator T() const {
        return T(value());
    }

    half operator-() const { return of_bits(std::uint16_t(bits_ ^ 0x8000u)); }
    friend half operator+(half left, half right) { return float(left) + float(right); }
    friend half operator-(half left, half right) { return float(left) - float(right); }
    friend half operator*(half left, half right) { return float(left) * float(right); }
    friend half operator/(half left, half right) { return float(left) / float(right); }
    friend bool operator==(half left, half right) { return float(left) == float(right); }
    friend bool operator!=(half left, half right) { return float(left) != float(right); }
    friend bool operator<(half left, half right) { return float(left) < float(right); }
    friend bool operator<=(half left, half right) { return float(left) <= float(right); }
    friend bool operator>(half left, half right) { return float(left) > float(right); }
    friend bool operator>=(half left, half right) { return float(left) >= float(right); }

  private:
    std::uint16_t bits_;

    static half of_bits(std::uint16_t bits) {
        half made;
        made.bits_ = bits;
        return made;
    }

    double value() const {
        const int exponent = bits_ >> 10 & 31, digits = bits_ & 1023;
        double size = 0.0;
        if (exponent == 31)
            size = digits == 0 ? INFINITY : NAN;
        else if (exponent == 0)
            size = std::ldexp(double(digits), -24);
        else
            size = std::ldexp(double(1024 + digits), exponent - 25);
        return (bits_ & 0x8000) != 0 ? -size : size;
    }

    // The nearest half. Whole multiples of its last digit are rounded to even by nearbyint.
    static std::uint16_t rounded(double value) {
        const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
        const double size = std::fabs(value);
        if (std::isnan(value))
            return std::uint16_t(sign | 0x7e00);
        if (size >= 65520.0) // halfway between the largest number and what would come next
            return std::uint16_t(sign | 0x7c00);
        int exponent = 0;
        std::frexp(size, &exponent); // size in [0.5, 1) * 2^exponent
        if (exponent < -13 || size == 0.0) // subnormal
            exponent = -13;
        const int digits = int(std::nearbyint(std::ldexp(size, 11 - exponent)));
        // 2048 digits, or 1024 of a subnormal, carry over into the exponent.
        return std::uint16_t(sign | (((exponent + 13) << 10) + digits));
    }
};

#endif
