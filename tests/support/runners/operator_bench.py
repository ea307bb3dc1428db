"""Operators in Verilog run on many operands, while their enable stalls them."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from streamopt.rtl.operators.leaf import OPERANDS, OperatorBlock, verilog_of
from streamopt.verification.csim.run_to_end import run_to_end
from streamopt.verification.csim.verilated import built

_MAIN = """
#include <cstdint>
#include <cstdio>
#include <vector>
#include "Vdesign.h"
#include "verilated.h"

int main(int, char **names) {
    const int levels[] = {%(levels)s};
    const size_t leaves = sizeof(levels) / sizeof(levels[0]);
    FILE *in = fopen(names[1], "rb"), *out = fopen(names[2], "wb");
    std::vector<uint64_t> taken;
    uint64_t block[3 * 4096];
    for (size_t got; (got = fread(block, 24, 4096, in)) != 0;)
        taken.insert(taken.end(), block, block + 3 * got);
    const size_t cases = taken.size() / 3;
    std::vector<uint64_t> found(cases * leaves);
    Vdesign bench;
    uint64_t state = 88172645463325252ull;
    for (size_t at = 0; at < cases + 64;) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        const bool stalls = state %% 5 == 0;
        const size_t now = at < cases ? at : cases - 1;
        bench.a = stalls ? state : taken[3 * now];
        bench.b = stalls ? ~state : taken[3 * now + 1];
        bench.c = stalls ? state >> 3 : taken[3 * now + 2];
        bench.en = !stalls;
        bench.clk = 0;
        bench.eval();
        if (!stalls) {
            for (size_t leaf = 0; leaf < leaves; leaf++) {
                const size_t done = at - levels[leaf];
                const uint32_t *word = bench.y.data() + 2 * leaf;
                if (done < cases) found[done * leaves + leaf] = word[0] | uint64_t(word[1]) << 32;
            }
            at++;
        }
        bench.clk = 1;
        bench.eval();
    }
    fwrite(found.data(), 8, found.size(), out);
    return fclose(out);
}
"""


def results(
    leaves: Sequence[OperatorBlock], cases: Sequence[NDArray[np.uint64]], directory: Path
) -> list[NDArray[np.uint64]]:
    """Return the results of each operator on the same operands.

    Parameters
    ----------
    cases
        Bits of the first operands, the second, and the third.
    directory
        Of the program, which is made once.
    """
    if len(leaves) == 1:
        leaves = [*leaves, *leaves]  # a wide port is an array
    program = directory / "simulation"
    if not program.exists():
        program = _program(leaves, directory)
    taken, given = directory / "cases.bin", directory / "results.bin"
    np.stack([*cases], axis=1).tofile(taken)
    code, *said = run_to_end([str(program), str(taken), str(given)], directory, 3600, "the bench")
    assert code == 0, said
    return [*np.fromfile(given, np.uint64).reshape(-1, len(leaves)).T]


def _program(leaves: Sequence[OperatorBlock], directory: Path) -> Path:
    texts = {leaf.name: verilog_of(leaf) for leaf in leaves}
    lines = [
        f"module bench(input clk, en, input [63:0] a, b, c, output [{64 * len(leaves)}-1:0] y);"
    ]
    for at, leaf in enumerate(leaves):
        pairs = zip(OPERANDS, leaf.operands, strict=False)
        ports = "".join(f", .{name}({name}[{form.bits - 1}:0])" for name, form in pairs)
        y = f"y[{64 * at + leaf.result.bits - 1}:{64 * at}]"
        lines.append(f"{leaf.name} u{at}(.clk(clk), .en(en){ports}, .y({y}));")
        if leaf.result.bits < 64:
            lines.append(f"assign y[{64 * at + 63}:{64 * at + leaf.result.bits}] = 0;")
    source, main = directory / "bench.v", directory / "main.cpp"
    source.write_text("\n".join([*texts.values(), *lines, "endmodule", ""]))
    main.write_text(_MAIN % {"levels": ", ".join(str(leaf.levels) for leaf in leaves)})
    assert set(OPERANDS) == {"a", "b", "c"}
    return built("bench", [source], main, directory)
