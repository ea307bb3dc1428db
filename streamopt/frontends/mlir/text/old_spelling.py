"""Spellings of older MLIR as those of today's: what only changed its name is still read.

Lines stay where they are, so that problems are told at their true lines.
"""

import re
from collections.abc import Callable, Mapping

OLD_HINT = (
    "this looks like MLIR of LLVM 16 or older, of which some spellings are read: "
    "write it again with a newer mlir-opt"
)

_ARITH_TEXT = """
addf subf mulf divf remf negf addi subi muli andi ori xori cmpi cmpf select constant index_cast
sitofp uitofp fptosi fptoui trunci maxsi minsi
"""
_MEMREF_TEXT = "load store alloc alloca dealloc dim subview"
_RENAMED: Mapping[str, str] = {
    **{name: f"arith.{name}" for name in _ARITH_TEXT.split()},
    **{name: f"memref.{name}" for name in _MEMREF_TEXT.split()},
    **{name: f"math.{name}" for name in ("exp", "log", "sqrt", "tanh", "sin", "cos", "absf")},
    "ceilf": "math.ceil",
    "floorf": "math.floor",
    **{f"{name}i_signed": f"arith.{name}si" for name in ("div", "rem")},
    **{f"{name}i_unsigned": f"arith.{name}ui" for name in ("div", "rem")},
    "shift_left": "arith.shli",
    "shift_right_signed": "arith.shrsi",
    "shift_right_unsigned": "arith.shrui",
    "sexti": "arith.extsi",
    "zexti": "arith.extui",
    "fpext": "arith.extf",
    "fptrunc": "arith.truncf",
    "maxf": "arith.maximumf",
    "minf": "arith.minimumf",
    "call": "func.call",
    "memref_cast": "memref.cast",
    "tensor_cast": "tensor.cast",
    "arith.maxf": "arith.maximumf",
    "arith.minf": "arith.minimumf",
    "math.abs": "math.absf",
    "affine.terminator": "affine.yield",
    "linalg.tensor_collapse_shape": "tensor.collapse_shape",
    "linalg.tensor_expand_shape": "tensor.expand_shape",
}
_OPERATION = re.compile(
    r"^([ \t]*(?:\^\w+[^\n:]*:[ \t]*)?(?:%[^=\n]{1,400}=[ \t]*)?)"
    rf"({'|'.join(map(re.escape, sorted(_RENAMED, key=len, reverse=True)))})(?=[ \t(])",
    re.MULTILINE,
)
_FUNCTION = re.compile(r"^([ \t]*)func([ \t]+(?:private|public|nested))?([ \t]+@)", re.MULTILINE)
_PREDICATE = re.compile(r'\b(arith\.cmp[if])[ \t]+"(\w+)"')
_EXPANDED = re.compile(
    r"(tensor\.expand_shape[ \t]+%[\w.$#-]+[ \t]*\[[\d,\[\] \t]*\])"
    r"([ \t]*:[ \t]*tensor<[^>\n]*>[ \t]+into[ \t]+tensor<((?:\d+x)*)[^x>\n]+>)"
)
_INITIAL = re.compile(r"\blinalg\.init_tensor[ \t]*\[[^\]\n]*\]")
_FILL = re.compile(
    r"\blinalg\.fill[ \t]*\([ \t]*(%[\w.$-]+)[ \t]*,[ \t]*(%[\w.$-]+)[ \t]*\)"
    r"[ \t]*:[ \t]*([\w.]+)[ \t]*,[ \t]*((?:tensor|memref)<[^>\n]*>)"
)
_NESTED = r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"
_LAYOUT = rf"dlti\.dl_spec[ \t]*=[ \t]*#dlti\.dl_spec{_NESTED}"
_LAYOUTS = re.compile(rf",[ \t]*{_LAYOUT}(?=\s*\}})|{_LAYOUT}(?:[ \t]*,)?")
"""The sizes of types, which nothing here needs."""


def modern(text: str) -> tuple[str, bool]:
    """Return the text in today's spelling, and whether that is another one."""
    found = text
    for pattern, replaced in _REWRITES:
        found = pattern.sub(replaced, found)
    return found, found != text


def _expanded(match: re.Match[str]) -> str:
    shape = ", ".join(match[3].split("x")[:-1])
    return f"{match[1]} output_shape [{shape}]{match[2]}"


_REWRITES: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = (
    (_FUNCTION, r"\1func.func\2\3"),
    (_OPERATION, lambda found: found[1] + _RENAMED[found[2]]),
    (_PREDICATE, r"\1 \2"),
    (_INITIAL, "tensor.empty()"),
    (_FILL, r"linalg.fill ins(\1 : \3) outs(\2 : \4)"),
    (_EXPANDED, _expanded),
    (_LAYOUTS, lambda found: "\n" * found[0].count("\n")),
)
