//
// Usage: testbench [data directory [output directory@{arguments}]]
//
// Without arguments the data are those of the project: tools run a testbench somewhere below it.
//
// Reads <data>/<array>.bin for every input, runs the kernel once, and compares every output with
// <data>/<array>.golden.bin (double) within <data>/<array>.tolerance.bin (double, an absolute
// bound for each element). With an output directory it also writes <output>/<array>.out.bin. It runs
// the kernel as often as STREAMOPT_RUNS in the environment says, on the same inputs; later runs
// write <output>/<array>.out.2.bin and so on.
//
// Exit code: 0 all outputs within tolerance, 1 some are not, 2 a file is missing or too short;
// 3, 4, 5 a stream overflowed, ran empty or was not drained (C simulation with streamopt only).

@{headers}#include <cmath>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

static std::string data_directory = "data";
static std::string output_directory;
static int testbench_number = 1; // of the run

static void find_data(const char *probe) {
    for (int up = 0; up < 8; up++, data_directory = "../" + data_directory) {
        std::FILE *file = std::fopen((data_directory + "/" + probe).c_str(), "rb");
        if (file != nullptr) {
            std::fclose(file);
            return;
        }
    }
    data_directory = "data";
}

template <typename T> static void load(const char *name, T *values, std::size_t count) {
    const std::string path = data_directory + "/" + name + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "rb");
    if (file == nullptr || std::fread(values, sizeof(T), count, file) != count) {
        std::fprintf(stderr, "testbench: %s is missing or too short\n", path.c_str());
        std::exit(2);
    }
    std::fclose(file);
}

template <typename T> static void store(const char *name, const T *values, std::size_t count) {
    const std::string run = testbench_number == 1 ? "" : "." + std::to_string(testbench_number);
    const std::string path = output_directory + "/" + name + ".out" + run + ".bin";
    std::FILE *file = std::fopen(path.c_str(), "wb");
    if (file == nullptr || std::fwrite(values, sizeof(T), count, file) != count ||
        std::fclose(file) != 0) {
        std::fprintf(stderr, "testbench: can't write %s\n", path.c_str());
        std::exit(2);
    }
}

static std::string element(const char *name, std::size_t flat, const std::vector<int> &extents) {
    std::string text;
    for (std::size_t at = extents.size(); at-- > 0; flat /= extents[at])
        text = "[" + std::to_string(flat % extents[at]) + "]" + text;
    return name + text;
}

template <typename T>
static bool check(const char *name, const T *got, const std::vector<int> &extents) {
    std::size_t count = 1;
    for (int extent : extents)
        count *= extent;
    std::vector<double> golden(count), tolerance(count);
    load((std::string(name) + ".golden").c_str(), golden.data(), count);
    load((std::string(name) + ".tolerance").c_str(), tolerance.data(), count);
    double max_error = 0.0, max_ratio = 0.0;
    std::size_t wrong = 0, first = 0, unchecked = 0;
    for (std::size_t at = 0; at < count; at++) {
        if (std::isnan(golden[at]) || !std::isfinite(tolerance[at])) {
            unchecked++;
            continue;
        }
        const double value = static_cast<double>(got[at]);
        const double error = value == golden[at] ? 0.0 : std::fabs(value - golden[at]);
        if (!(error <= tolerance[at]) && wrong++ == 0)
            first = at;
        const double ratio = error == 0.0 ? 0.0 : error / tolerance[at];
        if (error > max_error || std::isnan(error))
            max_error = error;
        if (ratio > max_ratio || std::isnan(ratio))
            max_ratio = ratio;
    }
    std::printf("%s %s: %zu elements, max error %g, max error/tolerance %g\n",
                wrong != 0 ? "FAIL" : unchecked != 0 ? "UNCHECKED" : "pass", name, count, max_error,
                max_ratio);
    if (unchecked != 0)
        std::printf("     %zu elements are unchecked: no test inputs suit the program\n", unchecked);
    if (wrong != 0)
        std::printf("     %zu wrong, first %s: got %.9g, expected %.9g +- %.3g\n", wrong,
                    element(name, first, extents).c_str(), static_cast<double>(got[first]),
                    golden[first], tolerance[first]);
    if (!output_directory.empty())
        store(name, got, count);
    return wrong == 0 && unchecked == 0;
}

@{arrays}
// Runs the kernel once, and checks what it makes of the inputs.
static bool testbench_run(@{parameters}) {
@{run}#ifdef STREAMOPT_HLS_STREAM
    hls::check_drained();
#endif

    bool passed = true;
@{checks}    return passed;
}

int main(int argc, char **argv) {
    if (argc > 1)
        data_directory = argv[1];
    else
        find_data("@{probe}");
    if (argc > 2)
        output_directory = argv[2];
@{loads}
    // A kernel that keeps something from one run to the next is wrong from the second one on.
    const char *asked = std::getenv("STREAMOPT_RUNS");
    const int runs = asked == nullptr ? 1 : std::atoi(asked);
    bool passed = testbench_run(@{call});
    for (testbench_number = 2; testbench_number <= runs; testbench_number++)
        passed &= testbench_run(@{call});
    return passed ? 0 : 1;
}
