"""The linear algebra programs: PolyBench/C 4.2.1 at size medium, and chains of products."""

from __future__ import annotations

from itertools import pairwise

from sketch import Sketch

__all__ = ["kernels"]


def kernels() -> list[Sketch]:
    """Return all programs of this file."""
    balanced, unbalanced = (64,) * 9, (64, 32, 64, 64, 128, 128, 64, 32, 16)
    return [
        gemm(),
        two_mm(),
        three_mm(),
        atax(),
        bicg(),
        gesummv(),
        mvt(),
        seven_mm("balanced", balanced),
        seven_mm("unbalanced", unbalanced),
        seven_mm_tree("balanced", balanced),
        seven_mm_tree("unbalanced", unbalanced),
    ]


def gemm() -> Sketch:
    """PolyBench gemm."""
    s = Sketch("polybench", "gemm", "D = 1.5 A B + 1.2 C")
    s.array("input", A=(200, 240), B=(240, 220), C=(200, 220))
    s.array("internal", AB=(200, 220))
    s.array("output", D=(200, 220))
    s.gemm("gemm", "AB", "A", "B", (200, 240, 220))
    s.node("scale_add", "D[i][j] = 1.5 * AB[i][j] + 1.2 * C[i][j]", i=200, j=220)
    return s


def two_mm() -> Sketch:
    """PolyBench 2mm."""
    s = Sketch("polybench", "2mm", "E = 1.5 A B C + 1.2 D")
    s.array("input", A=(180, 210), B=(210, 190), C=(190, 220), D=(180, 220))
    s.array("internal", AB=(180, 190), ABC=(180, 220))
    s.array("output", E=(180, 220))
    s.gemm("gemm1", "AB", "A", "B", (180, 210, 190))
    s.gemm("gemm2", "ABC", "AB", "C", (180, 190, 220))
    s.node("scale_add", "E[i][j] = 1.5 * ABC[i][j] + 1.2 * D[i][j]", i=180, j=220)
    return s


def three_mm() -> Sketch:
    """PolyBench 3mm."""
    s = Sketch("polybench", "3mm", "G = (A B) (C D)")
    s.array("input", A=(180, 200), B=(200, 190), C=(190, 220), D=(220, 210))
    s.array("internal", E=(180, 190), F=(190, 210))
    s.array("output", G=(180, 210))
    s.gemm("gemm1", "E", "A", "B", (180, 200, 190))
    s.gemm("gemm2", "F", "C", "D", (190, 220, 210))
    s.gemm("gemm3", "G", "E", "F", (180, 190, 210))
    return s


def atax() -> Sketch:
    """PolyBench atax."""
    s = Sketch("polybench", "atax", "y = A^T (A x)")
    s.array("input", A=(390, 410), x=(410,))
    s.array("internal", tmp=(390,))
    s.array("output", y=(410,))
    s.node("gemv", "tmp[i] += A[i][j] * x[j]", i=390, j=410)
    s.node("gemv_transposed", "y[j] += A[i][j] * tmp[i]", j=410, i=390)
    return s


def bicg() -> Sketch:
    """PolyBench bicg; the matrix comes as two inputs."""
    s = Sketch("polybench", "bicg", "s = A1^T r and q = A2 p")
    s.array("input", A1=(410, 390), A2=(410, 390), r=(410,), p=(390,))
    s.array("output", s=(390,), q=(410,))
    s.node("gemv_transposed", "s[j] += r[i] * A1[i][j]", j=390, i=410)
    s.node("gemv", "q[i] += A2[i][j] * p[j]", i=410, j=390)
    return s


def gesummv() -> Sketch:
    """PolyBench gesummv."""
    s = Sketch("polybench", "gesummv", "y = 1.5 A x + 1.2 B x")
    s.array("input", A=(250, 250), B=(250, 250), x=(250,))
    s.array("internal", Ax=(250,), Bx=(250,))
    s.array("output", y=(250,))
    s.node("gemv1", "Ax[i] += A[i][j] * x[j]", i=250, j=250)
    s.node("gemv2", "Bx[i] += B[i][j] * x[j]", i=250, j=250)
    s.node("scale_add", "y[i] = 1.5 * Ax[i] + 1.2 * Bx[i]", i=250)
    return s


def mvt() -> Sketch:
    """PolyBench mvt; the matrix comes as two inputs, the vectors start from zero."""
    s = Sketch("polybench", "mvt", "x1 = A1 y1 and x2 = A2^T y2")
    s.array("input", A1=(400, 400), A2=(400, 400), y1=(400,), y2=(400,))
    s.array("output", x1=(400,), x2=(400,))
    s.node("gemv", "x1[i] += A1[i][j] * y1[j]", i=400, j=400)
    s.node("gemv_transposed", "x2[i] += A2[j][i] * y2[j]", i=400, j=400)
    return s


def seven_mm(name: str, sizes: tuple[int, ...]) -> Sketch:
    """Multiply eight matrices from the left; ``sizes`` are the nine extents of the chain."""
    s = Sketch("synthetic", f"7mm_{name}", "((((((A B) C) D) E) F) G) H")
    s.array("input", **dict(zip("ABCDEFGH", pairwise(sizes), strict=True)))
    left = "A"
    for step, right in enumerate("BCDEFGH", start=1):
        out = "Y" if right == "H" else f"T{step}"
        rows, inner, columns = sizes[0], sizes[step], sizes[step + 1]
        s.array("output" if right == "H" else "internal", **{out: (rows, columns)})
        s.gemm(f"gemm{step}", out, left, right, (rows, inner, columns))
        left = out
    return s


def seven_mm_tree(name: str, sizes: tuple[int, ...]) -> Sketch:
    """Multiply the same eight matrices pairwise."""
    s = Sketch("synthetic", f"7mm_tree_{name}", "((A B) (C D)) ((E F) (G H))")
    s.array("input", **dict(zip("ABCDEFGH", pairwise(sizes), strict=True)))
    level, step = [(letter, at) for at, letter in enumerate("ABCDEFGH")], 0
    spans = list(pairwise(sizes))
    while len(level) > 1:
        merged: list[tuple[str, int]] = []
        for (left, first), (right, second) in zip(level[::2], level[1::2], strict=True):
            step += 1
            out = "Y" if len(level) == 2 else f"T{step}"
            (rows, inner), (_, columns) = spans[first], spans[second]
            s.array("output" if out == "Y" else "internal", **{out: (rows, columns)})
            s.gemm(f"gemm{step}", out, left, right, (rows, inner, columns))
            spans.append((rows, columns))
            merged.append((out, len(spans) - 1))
        level = merged
    return s
