#include "ap_int.h"
#include <stdint.h>

template <int INSTANCE, typename T = int>
struct counter_cfg {
    enum { start = INSTANCE * 10, limit = 100 };
    typedef T type;
};

template <typename CFG>
class Counter {
    typename CFG::type count;

  public:
    Counter() : count(CFG::start) {}
    void reset() { count = CFG::start; }
    typename CFG::type next(bool up) {
        count = up ? count + 1 : count - 1;
        return count > CFG::limit ? (typename CFG::type)CFG::limit : count;
    }
};

template <int X>
void fxp_loop(const bool dir[12], int out[12]) {
    Counter<counter_cfg<X, short>> c;
    for (int i = 0; i < 12; i++) {
        if (i == 6) c.reset();
        out[i] = c.next(dir[i]) * X;
    }
}

void cpp_template(const bool dir[12], int a[12], int b[12]) {
    fxp_loop<1>(dir, a);
    fxp_loop<9>(dir, b);
}
