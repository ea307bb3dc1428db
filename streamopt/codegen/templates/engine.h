#include <cstdint>
#include <hls_vector.h>

static const int WORDS = @{words};     // of weights
static const int SHARES = @{shares};    // beats of a channel that a word takes
static const int BEAT = @{beat};      // elements of an input in a beat
static const int RESULTS = @{results};   // beats of outputs
static const int BESIDE = @{beside};    // most positions at once

typedef hls::vector<@{element}, @{beat}> Beat;
typedef hls::vector<@{weight}, @{share}> Share;
typedef hls::vector<@{value}, @{drain}> Results;

@{signature};
