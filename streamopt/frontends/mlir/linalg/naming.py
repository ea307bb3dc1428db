"""Names of loops that say what they walk over, and names of nests that say what they compute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from streamopt.frontends.mlir.text.parsing import KIND
from streamopt.frontends.mlir.text.syntax import MlirOperation

if TYPE_CHECKING:
    from streamopt.frontends.mlir.linalg.structured import Structured

_SPATIAL = (("h",), ("h", "w"), ("d", "h", "w"))


def loop_names(item: Structured) -> tuple[str, ...]:
    """Return one name for each loop of a reduction, outermost first.

    Windows walk ``h, w`` with kernels ``kh, kw``, channels are ``o`` and ``c``; products walk
    ``i, j`` and add over ``k``, with ``h`` for what comes in front.
    """
    windows = _windows(item)
    return _window_names(item, windows) if windows else _product_names(item)


def has_windows(item: Structured) -> bool:
    """Return whether an operation slides windows over something, as convolutions do."""
    return bool(_windows(item))


def dimension_names(shape: Sequence[int], *, image: bool) -> tuple[str, ...]:
    """Return one name for each dimension; letters go to those that have loops.

    Examples
    --------
    >>> dimension_names((1, 8, 64), image=False), dimension_names((1, 3, 9, 9), image=True)
    (('u0', 'i', 'j'), ('n', 'c', 'h', 'w'))
    """
    if image and len(shape) == 4:
        return tuple("nchw")
    letters = iter("ijklm")
    return tuple(
        next(letters, f"i{axis}") if extent > 1 else f"u{axis}" for axis, extent in enumerate(shape)
    )


def operation_label(op: MlirOperation) -> str:
    """Return an operation's label: its name in the text, or else its kind."""
    name = op.results[0].name if op.results else ""
    if name and not name.isdigit():
        return name
    kind = op.attributes.get(KIND)
    text = kind if isinstance(kind, str) and kind != "linalg.generic" else op.name
    if text == "linalg.generic":
        text = _body_label(op)
    return text.rpartition(".")[2]


def joined_label(labels: tuple[str, ...]) -> str:
    """Return the name of a nest that does several things, the first one's scope said once.

    Examples
    --------
    >>> joined_label(("fc1_bias", "relu")), joined_label(("bn_norm", "bn_norm", "relu"))
    ('fc1_bias_relu', 'bn_norm_relu')
    """
    distinct = list(dict.fromkeys(labels))
    if len(distinct) > 4:
        distinct = [distinct[0], *distinct[-2:]]
    parts = distinct[0].split("_")
    for label in distinct[1:]:
        words = label.split("_")
        shared = 0
        while shared < min(len(words) - 1, len(parts)) and words[shared] == parts[shared]:
            shared += 1
        parts += words[shared:]
    return "_".join(parts)


def weight_label(op: MlirOperation) -> str:
    """Return the role that a weight which an operation computes has for its reader."""
    known = {"mul": "scale", "add": "shift", "sub": "shift"} if len(op.operands) > 2 else {}
    return known.get(_body_label(op), "folded")


def _body_label(op: MlirOperation) -> str:
    """Return the last operation of a body that isn't a conversion, for instance ``addf``."""
    names = [inner.name for block in op.blocks for inner in block.operations[:-1]]
    plain = {"arith.addf": "add", "arith.mulf": "mul", "arith.subf": "sub", "arith.divf": "div"}
    if len(names) >= 2 and names[-2:] == ["arith.cmpf", "arith.select"]:
        return "relu" if len(names) == 2 else "select"
    return plain.get(names[-1], names[-1]) if names else "copy"


def _windows(item: Structured) -> dict[int, int]:
    """Return kernel loop by the loop that its window moves along."""
    found: dict[int, int] = {}
    for operand in item.inputs:
        for subscript in operand.subscripts:
            loops = [int(name[1:]) for name in subscript.iterators()]
            inner = [loop for loop in loops if item.is_reduction[loop]]
            outer = [loop for loop in loops if not item.is_reduction[loop]]
            if len(inner) == 1 and len(outer) == 1:
                found[outer[0]] = inner[0]
    return found


def _window_names(item: Structured, windows: dict[int, int]) -> tuple[str, ...]:
    names = [""] * len(item.extents)
    spatial = sorted(windows)
    labels = _SPATIAL[min(len(spatial), 3) - 1]
    for label, loop in zip(labels, spatial, strict=False):
        names[loop], names[windows[loop]] = label, f"k{label}"
    of_image = {int(n[1:]) for s in item.inputs[0].subscripts for n in s.iterators()}
    for loop, reduces in enumerate(item.is_reduction):
        if names[loop]:
            continue
        if reduces:
            names[loop] = "c"
        elif loop not in of_image:
            names[loop] = "o"
        else:
            is_group = any(item.is_reduction[loop:]) and len(of_image) < len(names)
            names[loop] = "n" if loop == 0 else "g" if is_group else "c"
    return _distinct(names)


def _product_names(item: Structured) -> tuple[str, ...]:
    long = [n for n, extent in enumerate(item.extents) if extent > 1] or [0]
    outer = [n for n in long if not item.is_reduction[n]]
    inner = [n for n in long if item.is_reduction[n]]
    names = [f"u{n}" for n in range(len(item.extents))]
    ladder = {0: "", 1: "i", 2: "ij", 3: "hij", 4: "bhij"}.get(len(outer))
    for position, loop in enumerate(outer):
        names[loop] = ladder[position] if ladder is not None else f"i{position}"
    letters = "jkl" if len(outer) == 1 else "klm"
    for position, loop in enumerate(inner):
        names[loop] = letters[position] if position < 3 else f"k{position}"
    return _distinct(names)


def _distinct(names: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        numbered = (f"{name}{number}" for number in range(2, len(names) + 1))
        found.append(next(each for each in (name, *numbered) if each not in found))
    return tuple(found)
