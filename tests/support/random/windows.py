"""Random chains of convolutions and stencils, each reading the one before through a window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.support.programs.sketches import program

if TYPE_CHECKING:
    from random import Random

    from streamopt.ir.program import Program

__all__ = ["window_chain"]


def window_chain(rng: Random, layers: int = 2) -> Program:
    """Return a chain on images of some channels: convolutions, depthwise ones, pools and stencils.

    Borders are guards of the reads, or the image shrinks; some layers add what they read, and some
    move by several elements.
    """
    channels, height, width = rng.choice([1, 2, 4]), rng.randint(4, 9), rng.choice([4, 6, 8])
    arrays = {"x": f"input {channels} {height} {width}",
              "a0": f"internal {channels} {height} {width}"}  # fmt: skip
    nodes = {"first": f"c {channels}, h {height}, w {width}: a0[c][h][w] = x[c][h][w] + 1"}
    shape = (channels, height, width)
    for at in range(1, layers + 1):
        role = "output" if at == layers else "internal"
        make = rng.choice([_convolution, _convolution, _depthwise, _pool, _stencil])
        shape, weights, text = make(rng, at, shape)
        arrays[f"a{at}"] = f"{role} {' '.join(map(str, shape))}"
        if weights:
            arrays[f"k{at}"] = f"weight {weights}"
        nodes[f"layer{at}"] = text
    return program(arrays, nodes, name="windows")


def _taps(rng: Random, extent: int) -> tuple[int, str, int]:
    """Return taps, how they move the place that is read, and the extent that comes out."""
    taps, dilation = rng.choice([(1, 1), (2, 1), (3, 1), (3, 1), (2, 2)])
    step = rng.choice([1, 1, 1, 2, 2, 3])
    reach = dilation * (taps - 1)
    padding = rng.choice([0, reach // 2, reach // 2, reach])
    out = (extent + 2 * padding - reach - 1) // step + 1
    return (
        (taps, f"{step} * {{}} + {dilation} * {{}} - {padding}", out)
        if out >= 2
        else (1, "{} + 0 * {}", extent)
    )


def _read(at: int, channel: str, shape: tuple[int, int, int], ways: tuple[str, ...]) -> str:
    """Return the read of the layer before, or 0 outside of it."""
    rows, columns = ways
    place = f"a{at - 1}[{channel}][{rows}][{columns}]"
    inside = (f"{rows} >= 0", f"{rows} < {shape[1]}", f"{columns} >= 0", f"{columns} < {shape[2]}")
    return f"({place} if {' and '.join(inside)} else 0)"


def _convolution(
    rng: Random, at: int, shape: tuple[int, int, int]
) -> tuple[tuple[int, int, int], str, str]:
    (m, down, height), (n, across, width) = _taps(rng, shape[1]), _taps(rng, shape[2])
    out = rng.choice([1, 2, 3])
    ways = down.format("h", "m"), across.format("w", "n")
    loops = f"o {out}, h {height}, w {width}, c {shape[0]}, m {m}, n {n}"
    term = f"{_read(at, 'c', shape, ways)} * k{at}[o][c][m][n]"
    text = f"{loops}: a{at}[o][h][w] += {term}"
    return (out, height, width), f"{out} {shape[0]} {m} {n}", text


def _depthwise(
    rng: Random, at: int, shape: tuple[int, int, int]
) -> tuple[tuple[int, int, int], str, str]:
    (m, down, height), (n, across, width) = _taps(rng, shape[1]), _taps(rng, shape[2])
    ways = down.format("h", "m"), across.format("w", "n")
    loops = f"c {shape[0]}, h {height}, w {width}, m {m}, n {n}"
    term = f"{_read(at, 'c', shape, ways)} * k{at}[c][m][n]"
    return (shape[0], height, width), f"{shape[0]} {m} {n}", f"{loops}: a{at}[c][h][w] += {term}"


def _pool(
    rng: Random, at: int, shape: tuple[int, int, int]
) -> tuple[tuple[int, int, int], str, str]:
    (m, down, height), (n, across, width) = _taps(rng, shape[1]), _taps(rng, shape[2])
    ways = down.format("h", "m"), across.format("w", "n")
    loops = f"c {shape[0]}, h {height}, w {width}, m {m}, n {n}"
    text = f"{loops}: a{at}[c][h][w] = max(a{at}[c][h][w], {_read(at, 'c', shape, ways)})"
    return (shape[0], height, width), "", text


def _stencil(
    rng: Random, at: int, shape: tuple[int, int, int]
) -> tuple[tuple[int, int, int], str, str]:
    places = [(rng.randint(-2, 2), rng.randint(-1, 2)) for _ in range(rng.randint(1, 3))]
    reads = [_read(at, "c", shape, (f"h + {h}", f"w + {w}")) for h, w in places]
    reads.append(_read(at, "c", shape, ("h", "w")))
    loops = f"c {shape[0]}, h {shape[1]}, w {shape[2]}"
    return shape, "", f"{loops}: a{at}[c][h][w] = {' + '.join(reads)}"
