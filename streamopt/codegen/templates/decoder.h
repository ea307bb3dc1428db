#include <cstdint>
#include <hls_vector.h>

static const int CHANNELS = @{channels};   // that a word comes over
static const int SHARE = @{share};      // bytes of a word that each has
static const int WORDS = @{words};      // of weights, keys and values
static const int DRAIN = @{drain};      // results of a position that leave in a cycle
static const int BEATS = @{beats};      // of the logits of an answer

typedef hls::vector<std::uint8_t, @{share}> Share;
typedef hls::vector<std::int32_t, 16> Beat;
typedef hls::vector<std::int32_t, @{result_lanes}> Results;

// Of each channel `words` and `context` are the same memory: the kernel reads the first, and writes
// keys and values to the second. Takes a prompt of so many tokens, and gives so many answers: of each its logits, then its token.
@{signature};
