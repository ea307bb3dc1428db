// A vector with arithmetic of its elements.

#pragma once

namespace hls {
template <class T, int N> struct vector {
    T v[N];
    T &operator[](int at) { return v[at]; }
    const T &operator[](int at) const { return v[at]; }
};
#define VECTOR_OPERATOR(op)                                                                        \
    template <class T, int N> vector<T, N> operator op(const vector<T, N> &a, const vector<T, N> &b) { \
        vector<T, N> r;                                                                            \
        for (int i = 0; i < N; i++)                                                                \
            r[i] = a[i] op b[i];                                                                   \
        return r;                                                                                  \
    }                                                                                              \
    template <class T, int N, class S, class = decltype(S() + 1)>                                  \
    vector<T, N> operator op(const vector<T, N> &a, S b) {                                         \
        vector<T, N> r;                                                                            \
        for (int i = 0; i < N; i++)                                                                \
            r[i] = a[i] op (T)b;                                                                      \
        return r;                                                                                  \
    }
VECTOR_OPERATOR(+)
VECTOR_OPERATOR(-)
VECTOR_OPERATOR(*)
} // namespace hls
