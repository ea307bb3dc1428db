"""One expression for several phases: where they differ, an operand is chosen by the phase.

Before: phase 0 computes ``B[i] + B[i + 1]``, phase 1 ``A[i] + A[i + 1]``
After:  ``(phase == 0 ? B[i] : A[i]) + (phase == 0 ? B[i + 1] : A[i + 1])``: one adder
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from streamopt.codegen.expressions import ExpressionText
from streamopt.ir.element import ElementType
from streamopt.ir.expression import Access, Index, Literal, Read, children, rebuild

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from streamopt.codegen.expressions import OperatorNames
    from streamopt.ir.expression import Expression


@dataclass(slots=True)
class Operands:
    """Operands by the names that stand for them in a shared expression.

    Attributes
    ----------
    texts
        Those of each phase's expressions.
    choose
        From a text for each phase to one for all.
    function
        As for `ExpressionText`.
    """

    texts: Sequence[ExpressionText]
    choose: Callable[[Sequence[str]], str]
    function: OperatorNames
    _known: dict[str, tuple[str, ElementType]] = field(
        default_factory=dict[str, tuple[str, "ElementType"]]
    )

    @property
    def text(self) -> ExpressionText:
        """Return the printer of shared expressions."""
        return ExpressionText(
            lambda name: self._known[name][1],
            lambda access: self._known[access.array][0],
            self.texts[0].index,
            self.function,
        )

    def operand(self, text: str, element: ElementType) -> Read:
        """Return the operand that a text is."""
        name = f"operand {len(self._known)}"
        self._known[name] = text, element
        return Read(Access(name, ()))

    def shared(self, expressions: Sequence[Expression]) -> Expression | None:
        """Return the common expression, with operands; None if there are other differences."""
        first, *others = expressions
        if all(isinstance(part, Read) for part in expressions):
            return self._read(expressions)
        if all(isinstance(part, Index | Literal) for part in expressions):
            return self._number(expressions)
        parts = [children(part) for part in expressions]
        if not parts[0] or any(type(o) is not type(first) for o in others):
            return None
        if any(len(own) != len(parts[0]) for own in parts):
            return None
        if any(rebuild(first, own) != other for own, other in zip(parts[1:], others, strict=True)):
            return None
        found = [self.shared(operands) for operands in zip(*parts, strict=True)]
        kept = tuple(part for part in found if part is not None)
        return rebuild(first, kept) if len(kept) == len(found) else None

    def _read(self, expressions: Sequence[Expression]) -> Expression | None:
        accesses = [part.access for part in expressions if isinstance(part, Read)]
        pairs = zip(self.texts, accesses, strict=True)
        elements = {text.element_of(access.array) for text, access in pairs}
        if len(elements) > 1:
            return None
        read = [text.read(access) for text, access in zip(self.texts, accesses, strict=True)]
        return self.operand(self.choose(read), elements.pop())

    def _number(self, expressions: Sequence[Expression]) -> Expression | None:
        if all(part == expressions[0] for part in expressions) and isinstance(
            expressions[0], Literal
        ):
            return expressions[0]
        if not all(isinstance(part, Index) for part in expressions):
            return None
        pairs = zip(self.texts, expressions, strict=True)
        texts = [text.index(part.value) for text, part in pairs if isinstance(part, Index)]
        chosen = self.choose([f"({text})" for text in texts])
        return self.operand(chosen, ElementType.INT32)
