"""Write the dataflow graphs of the measured programs to ``graphs/<suite>/<name>.json``.

``python models/build_graphs.py`` writes them; with ``--check`` it exits with 1 if a file on disk
differs from what it would write. Nodes, loop orders and copies are those of the programs that
Stream-HLS was measured on ([1] section 5), without the nodes that only store a result and without
the transposing copies of atax and mvt.

[1] Basalama and Cong, Stream-HLS, FPGA 2025.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from kernels import kernels
from networks import networks

GRAPHS = Path(__file__).resolve().parent.parent / "graphs"


def main() -> int:
    """Write or check all graphs; return the exit code."""
    parser = argparse.ArgumentParser(description="Write graphs/<suite>/<name>.json.")
    parser.add_argument("--check", action="store_true", help="write nothing, compare only")
    check = bool(parser.parse_args().check)
    texts = {GRAPHS / s.suite / f"{s.name}.json": s.text() for s in (*kernels(), *networks())}
    stale = [path for path, text in texts.items() if not path.exists() or path.read_text() != text]
    for path in stale:
        sys.stdout.write(f"{'differs' if check else 'written'}: {path.relative_to(GRAPHS)}\n")
        if not check:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(texts[path])
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
