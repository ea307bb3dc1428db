"""Words that indices choose among words side by side."""

from dataclasses import dataclass

_TEXT = """\
module {name}(words{names});
  input [{all}:0] words;
{choices}endmodule
"""
_CHOICE = """\
  input [{top}:0] at_{number};
  output [{last}:0] taken_{number};
  assign taken_{number} = words[at_{number} * {width} +: {width}];
"""


@dataclass(frozen=True, slots=True)
class WordChoice:
    """Words of a width, and how many indices there are."""

    width: int
    words: int
    readers: int

    @property
    def name(self) -> str:
        """Return the name of its module."""
        return f"choice_{self.width}x{self.words}_{self.readers}"

    @property
    def index_bits(self) -> int:
        """Return the bits of an index."""
        return max(1, (self.words - 1).bit_length())

    def source(self) -> str:
        """Return the module's text."""
        sizes = {"top": self.index_bits - 1, "last": self.width - 1, "width": self.width}
        readers = range(self.readers)
        return _TEXT.format(
            name=self.name,
            names="".join(f", at_{at}, taken_{at}" for at in readers),
            all=self.width * self.words - 1,
            choices="".join(_CHOICE.format(number=at, **sizes) for at in readers),
        )
