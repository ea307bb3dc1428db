"""C++ identifiers for user names: legal, unique in their scope, and equal where possible."""

from __future__ import annotations

import re
from collections.abc import Iterable

from streamopt.codegen.operators import OPERATOR_FUNCTION_NAMES

_KEYWORD_TEXT = """
alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t class
compl concept const const_cast constexpr continue co_await co_return co_yield decltype default
delete do double dynamic_cast else enum explicit export extern false float for friend goto if
inline int long mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public register reinterpret_cast requires return short signed sizeof static static_assert
static_cast struct switch template this thread_local throw true try typedef typeid typename union
unsigned using virtual void volatile wchar_t while xor xor_eq
linux unix errno assert main std hls streamopt
"""
_MACRO_TEXT = """
BIG_ENDIAN BUFSIZ BYTE_ORDER CHAR_BIT CPU_SETSIZE CSIGNAL EOF FD_SETSIZE FLT_EVAL_METHOD FLT_RADIX
FLT_ROUNDS INFINITY LITTLE_ENDIAN LONG_BIT L_ctermid L_cuserid L_tmpnam MAXFLOAT MAX_CANON
MAX_INPUT NAN NFDBITS NULL NZERO PDP_ENDIAN PIPE_BUF P_tmpdir TIMER_ABSTIME TIME_UTC WCONTINUED
WEOF WEXITED WNOHANG WNOWAIT WORD_BIT WSTOPPED WUNTRACED math_errhandling sched_priority stderr
stdin stdout
"""
_RESERVED = frozenset([*_KEYWORD_TEXT.split(), *_MACRO_TEXT.split()])
_MACROS = re.compile(
    r"_[A-Z].*"
    r"|[A-Z0-9_]+_(MAX|MIN|EPSILON|DIG|EXP|WIDTH|SUBNORM)|HUGE_VAL(F|L|_F\d+X?)?|SNAN(L|F\d*X?)?"
    r"|M_(E|LN2|LN10|LOG2E|LOG10E|[12]_PI|PI(_[24])?|2_SQRTPI|SQRT2|SQRT1_2)(l|f\d*x?)?"
    r"|(ADJ|ATOMIC|CLOCKS?|CLONE|EXIT|FP|LC|MATH|MOD|NL|PTHREAD|RENAME|SCHED|SEEK|STA)_[A-Z].*"
    r"|E[A-Z0-9]{2,}|(PRI|SCN)[diouxX](8|16|32|64|FAST|LEAST|MAX|PTR).*"
)
"""Macros of the headers that emitted code includes; those with arguments do no harm to arrays."""

_MATH_TEXT = """
abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh div drem erf erfc exp exp10
exp2 expm1 fabs fdim floor fma fmax fmin fmod frexp gamma hypot ilogb isinf isnan j0 j1 jn labs
ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter pow
remainder remquo rint round scalb scalbln scalbn significand sin sincos sinh sqrt tan tanh tgamma
trunc y0 y1 yn
"""
_SYSTEM_TEXT = """
abort atexit atof atoi atol bsearch calloc exit free getenv malloc qsort rand realloc srand system
strtod index rindex read write open close link pipe dup sleep time clock select signal remove
rename printf puts bcopy bcmp bzero signgam environ daylight timezone
"""
LIBRARY = frozenset(
    [f"{name}{suffix}" for name in _MATH_TEXT.split() for suffix in ("", "f", "l")]
    + _SYSTEM_TEXT.split()
)
"""Names of the C library, which a function of ours must not take."""

_TYPE_TEXT = """
ap_fixed ap_int ap_uint clock_t div_t double_t FILE float_t fpos_t half intmax_t intptr_t ldiv_t
lldiv_t max_align_t mbstate_t nullptr_t off_t pid_t ptrdiff_t size_t ssize_t time_t tm uintmax_t
uintptr_t wint_t
"""
TYPES = frozenset(
    [*_TYPE_TEXT.split()]
    + [
        f"{sign}int{kind}{bits}_t"
        for sign in ("", "u")
        for kind in ("", "_fast", "_least")
        for bits in (8, 16, 32, 64)
    ]
)
"""Types of the C library and of AMD, which nothing at namespace scope must be called."""

_TESTBENCH = frozenset(
    ["testbench", "testbench_run", "testbench_number", "data_directory", "output_directory"]
)


def suits_top(name: str) -> bool:
    """Return whether the top function, and its file, may have this identifier as its name."""
    taken = LIBRARY | TYPES | _TESTBENCH | OPERATOR_FUNCTION_NAMES
    return identifier(name) == name and name not in taken and not name.startswith("port_")


def is_reserved(name: str) -> bool:
    """Return whether C++, its library's macros or the vendor's headers have a name already."""
    return name in _RESERVED or _MACROS.fullmatch(name) is not None


def identifier(name: str) -> str:
    """Return the closest C++ identifier; different names may give the same one.

    Examples
    --------
    >>> identifier("conv1.weight"), identifier("3mm"), identifier("for"), identifier("_A")
    ('conv1_weight', 'n3mm', 'for_', 'n_A')
    """
    text = re.sub(r"_+", "_", re.sub(r"[^A-Za-z0-9_]", "_", name))
    if text in ("", "_"):
        text = "n"
    if text[0].isdigit() or re.match("_[A-Z]", text):  # the latter are the compiler's own
        text = f"n{text}"
    if is_reserved(text):
        text = f"{text}_"
    return f"n_{text}" if is_reserved(text) else text


class Names:
    """The identifiers of one scope; hands out each one once."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def unique(self, wanted: str) -> str:
        """Return the identifier of a name, with the first free number where it is taken."""
        base = text = identifier(wanted)
        number = 2
        while text in self._taken:
            text = f"{base}_{number}".replace("__", "_")
            number += 1
        self._taken.add(text)
        return text

    def take(self, name: str) -> None:
        """Reserve an identifier that another scope has handed out."""
        self._taken.add(name)

    def inner(self) -> Names:
        """Return a scope inside this one, which may not hide its names."""
        return Names(self._taken)
