// ap_int for C simulation: the part of the vendor's type that emitted designs use.
//
// ap_int<W> is a whole number of W bits in two's complement, up to 64; a conversion drops upper
// bits. Arithmetic is that of long long. The vendor's header of the same name is used instead when
// a design goes to hardware.

#ifndef STREAMOPT_AP_INT
#define STREAMOPT_AP_INT

template <int W> class ap_int {
    static_assert(W >= 1 && W <= 64, "a whole number has 1 to 64 bits");

  public:
    ap_int() = default;
    ap_int(long long value) : value_(wrapped(value)) {}
    template <int W2>
    ap_int(const ap_int<W2> &other) : ap_int(static_cast<long long>(other)) {}
    operator long long() const { return value_; }

  private:
    static long long wrapped(long long value) {
        const unsigned long long sign = 1ULL << (W - 1), kept = ~0ULL >> (64 - W);
        return static_cast<long long>(((static_cast<unsigned long long>(value) & kept) ^ sign) - sign);
    }

    long long value_;
};

#endif
