"""``#pragma HLS`` as values, and what they say of arrays, streams and loops."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pycparser import c_ast as ast

from streamopt.ir.affine import Affine
from streamopt.ir.element import ElementType
from streamopt.ir.ports import RamBlock
from streamopt.published.expressions import CTextError, NotAffineError, read_subscript

NOTHING: Mapping[str, object] = MappingProxyType({})
_FORMS = frozenset({"complete", "cyclic", "block"})


@dataclass(frozen=True, slots=True)
class HlsDirective:
    """A pragma: its name, its words, and its options, all in lower case but for values."""

    name: str
    words: frozenset[str]
    options: Mapping[str, str]

    def number(self, option: str) -> int | None:
        """Return the whole number that an option has; None where it has none."""
        try:
            value = read_subscript(self.options[option], ())
        except (KeyError, CTextError, NotAffineError):
            return None
        return None if value.terms else value.constant

    @property
    def variable(self) -> str:
        """Return the variable that it is about; empty for none."""
        return self.options.get("variable", self.options.get("port", ""))

    @property
    def form(self) -> str:
        """Return how it splits an array: cyclic, block or complete, which is the default."""
        said = {self.options.get("type", "").lower()} | self.words
        return next(iter(sorted(said & _FORMS)), "complete")


def directive(item: ast.Node, known: Mapping[str, object] = NOTHING) -> HlsDirective | None:
    """Return the directive in an HLS pragma; None for any other item.

    Parameters
    ----------
    known
        Meanings of names, of which options may use those of constants.
    """
    if not isinstance(item, ast.Pragma):
        return None
    text = item.string.value if isinstance(item.string, ast.Constant) else str(item.string)
    text = re.sub(r"\s*=\s*", "=", text.strip('" '))
    if not text.startswith("HLS "):
        return None
    _, name, *rest = [*text.split(), ""]
    pairs = (word.partition("=") for word in rest if "=" in word)
    options = {key.lower(): _number_text(value, known) for key, _, value in pairs}
    words = frozenset(word.lower() for word in rest if "=" not in word)
    return HlsDirective(name.lower(), words, options)


def _number_text(value: str, known: Mapping[str, object]) -> str:
    """Return the number that a name stands for; any other value as it is."""
    found = known.get(value)
    return str(found.constant) if isinstance(found, Affine) and not found.terms else value


def named(
    items: Iterable[ast.Node], name: str, known: Mapping[str, object] = NOTHING
) -> HlsDirective | None:
    """Return the first pragma among items that has a name and isn't off; None where none has."""
    for item in items:
        found = directive(item, known)
        if found is not None and found.name == name and "off" not in found.words:
            return found
    return None


@dataclass(slots=True, eq=False)
class Store:
    """An array, a group of streams, or a register that outlives iterations, as it is declared."""

    name: str
    element: ElementType
    shape: tuple[int, ...]
    """Extents; of streams how many there are along each dimension."""
    is_argument: bool = False
    is_stream: bool = False
    is_serial: bool = False
    """Whether it is declared as an array and built as one FIFO, so that subscripts say nothing."""
    is_table: bool = False
    depth_elems: int = 0
    """That a stream is asked to hold; 0 where nothing is said."""
    splits: list[tuple[int, bool]] = field(default_factory=list[tuple[int, bool]])
    """Of each dimension, as pragmas set them: partition factor, and whether its banks are parts of
    one word."""
    block: RamBlock | None = None
    """The block that a pragma binds it to, of those that are known."""

    def __post_init__(self) -> None:
        """Begin with one bank."""
        self.splits = [(1, False)] * len(self.shape)

    def apply(self, said: HlsDirective) -> None:
        """Take what a pragma says of this variable."""
        if said.name in ("array_partition", "array_reshape"):
            self._split(said)
        elif said.name == "bind_storage":
            block = said.options.get("impl", "").lower()
            self.block = RamBlock(block) if block in {*RamBlock} else None
        elif said.name == "stream" and said.options.get("type", "fifo").lower() == "fifo":
            self.depth_elems = said.number("depth") or self.depth_elems
            if not self.is_stream and "off" not in said.words:
                self.is_stream, self.is_serial, self.shape = True, True, ()
                self.splits = []

    def _split(self, said: HlsDirective) -> None:
        dimension = said.number("dim")
        dimension = 1 if dimension is None else dimension
        for place, extent in enumerate(self.shape):
            if dimension in (0, place + 1):
                factor = extent if said.form == "complete" else said.number("factor") or 1
                factor = max(1, min(factor, extent))
                self.splits[place] = factor, said.name == "array_reshape"
