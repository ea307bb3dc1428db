"""A design, explained: five statements, each a value with its words."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from html import escape
from typing import Any, cast

from streamopt.errors import DesignWarning
from streamopt.explanation.allowances import Allowances, allowances
from streamopt.explanation.bottleneck import Bottleneck, bottleneck
from streamopt.explanation.buffers import Buffering, buffering
from streamopt.explanation.changes import Changes, changes
from streamopt.explanation.question import KnownDesign
from streamopt.explanation.verdict import Standing, standing


@dataclass(frozen=True, slots=True, repr=False)
class Explanation:
    """Why a design is as fast as it is, and what would make it faster.

    Attributes
    ----------
    standing
        Cycles, time, share of the part, and what is proved.
    bottleneck
        The nodes that hold the critical path, and what their cycles are.
    allowances
        What a tenth more of each resource would buy.
    buffering
        The channels that are no FIFOs, why, and the most that they cost.
    changes
        What to change in the source, or which option.
    warnings
        Of the design; see `streamopt.warnings`.
    """

    standing: Standing
    bottleneck: Bottleneck
    allowances: Allowances
    buffering: Buffering
    changes: Changes
    warnings: tuple[DesignWarning, ...] = ()

    @property
    def sentences(self) -> tuple[str, ...]:
        """Return the five sentences."""
        parts = (self.standing, self.bottleneck, self.allowances, self.buffering, self.changes)
        return tuple(part.words for part in parts)

    @property
    def words(self) -> str:
        """Return the sentences, numbered, each on a line."""
        return "\n".join(f"{at}. {words}" for at, words in enumerate(self.sentences, 1))

    def record(self) -> dict[str, Any]:
        """Return all statements as JSON values, with the sentences."""
        return {"sentences": list(self.sentences), **_plain(asdict(self))}

    def __str__(self) -> str:
        """Return the sentences, numbered, each on a line."""
        return self.words

    def __repr__(self) -> str:
        """Return the first sentence."""
        return f"<Explanation: {self.sentences[0]}>"

    def _repr_html_(self) -> str:
        """Show the sentences in a notebook."""
        return f"<ol>{''.join(f'<li>{escape(words)}</li>' for words in self.sentences)}</ol>"


def explained_design(design: KnownDesign) -> Explanation:
    """Return the explanation of a design whose evaluation is sampled."""
    bound_by, buffered = bottleneck(design), buffering(design)
    return Explanation(
        standing(design),
        bound_by,
        allowances(design),
        buffered,
        changes(design, bound_by, buffered),
        design.warnings,
    )


def _plain(value: Any) -> Any:
    """Return a value of dataclasses and enumerations as JSON has them."""
    if isinstance(value, dict):
        items = cast("dict[str, Any]", value)
        return {str(key): _plain(each) for key, each in items.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in cast("Sequence[Any]", value)]
    return value if value is None or isinstance(value, int | float) else str(value)
