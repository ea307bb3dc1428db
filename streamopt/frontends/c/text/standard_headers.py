"""Headers of C, C++, POSIX and HLS tools that need no text here.

What they declare is known to the reader already, or it is refused where a program uses it. Those
with macros or types are files in the folder ``headers``.
"""

_C = (
    "ctype errno fenv iso646 locale malloc memory setjmp signal stdalign stdatomic stdnoreturn "
    "strings tgmath threads uchar wchar wctype"
)
_POSIX = (
    "dirent getopt libgen omp pthread sched sys/ioctl sys/param sys/select "
    "sys/socket sys/times sys/wait termios"
)
_CPLUSPLUS = (
    "algorithm array atomic barrier bit bitset cctype cerrno cfenv charconv chrono clocale "
    "codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdbool "
    "cuchar cwchar cwctype deque exception execution expected filesystem format "
    "forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream "
    "iterator latch limits list locale map memory mutex new numbers numeric optional ostream "
    "queue random ranges ratio regex semaphore set shared_mutex source_location span sstream "
    "stack stdexcept stop_token streambuf string string_view syncstream system_error thread "
    "tuple type_traits typeindex typeinfo unordered_map unordered_set utility valarray variant "
    "vector version"
)
_HLS = (
    "ap_cint ap_common ap_shift_reg ap_utils hls_burst_maxi "
    "hls_directio hls_fence hls_np_channel hls_print hls_streamofblocks hls_task "
    "hls_vector"
)

EMPTY_HEADERS = frozenset(
    [f"{name}.h" for name in (*_C.split(), *_POSIX.split(), *_HLS.split())] + _CPLUSPLUS.split()
)
