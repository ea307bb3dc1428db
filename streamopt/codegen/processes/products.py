"""Two products in one DSP: lanes of a loop on which one factor doesn't depend go in pairs.

The factors of all lanes are taken into registers; a function multiplies two of one factor by the
other, which they have in common; and the lanes then have their products in registers::

    for each lane:   left[i_lane] = A[i][k];  right[j_lane] = B[k][j];
    for each pair:   int8_mul_packed(left[i_lane], right[2 * pair], right[2 * pair + 1],
                                     product[i_lane][2 * pair], product[i_lane][2 * pair + 1]);
    for each lane:   terms[...] = product[i_lane][j_lane];

All of it is unrolled in one iteration. The last lane of an odd number has a DSP of its own, whose
other product nobody reads.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from streamopt.analysis.value_ranges import NarrowProduct, narrow_product
from streamopt.codegen.operators import OperatorFunctions, product_type
from streamopt.codegen.tree import CppStatement, For, Item, Pragma
from streamopt.ir.element import ElementType
from streamopt.ir.expression import reads
from streamopt.ir.network import Implementation
from streamopt.ir.operators import Operator
from streamopt.ir.scheduled import ScheduledNode, TiledLoop


@dataclass(frozen=True, slots=True)
class _Registers:
    """One for each lane of some loops."""

    name: str
    element: ElementType
    lanes: tuple[tuple[str, int], ...]
    """Iterator and registers along each dimension."""

    def at(self, places: Mapping[str, str]) -> str:
        """Return the register of a lane, whose iterators are replaced by some texts."""
        return self.name + "".join(f"[{places.get(lane, lane)}]" for lane, _ in self.lanes)

    def declared(self) -> tuple[Item, ...]:
        """Return the registers; those of lanes without an iteration stay 0."""
        extents = "".join(f"[{count}]" for _, count in self.lanes)
        start = "{}" if self.lanes else "0"
        split = f"array_partition variable={self.name} type=complete dim=0"
        declared = CppStatement(f"{self.element} {self.name}{extents} = {start};")
        return (declared, Pragma(split)) if self.lanes else (declared,)


@dataclass(frozen=True, slots=True)
class PackedProducts:
    """The products of all lanes of one iteration."""

    factors: tuple[_Registers, _Registers]
    """The one that a pair of lanes has in common first."""
    are_swapped: bool
    """Whether that is the right factor of the product."""
    product: _Registers
    paired: str
    """Iterator of the lanes that go in pairs."""
    pair: str
    """Iterator of the pairs."""

    def declared(self) -> list[Item]:
        """Return all registers."""
        return [item for one in (*self.factors, self.product) for item in one.declared()]

    def taken(self, left: str, right: str) -> list[Item]:
        """Return the statements that take a lane's factors, from the texts of both."""
        texts = (right, left) if self.are_swapped else (left, right)
        pairs = zip(self.factors, texts, strict=True)
        return [CppStatement(f"{one.at({})} = {text};") for one, text in pairs]

    def multiplied(self, function: str) -> list[Item]:
        """Return the loops over all pairs."""
        both = [{self.paired: f"2 * {self.pair}"}, {self.paired: f"2 * {self.pair} + 1"}]
        common, own = self.factors
        texts = [common.at({}), *map(own.at, both), *map(self.product.at, both)]
        body: Item = CppStatement(f"{function}({', '.join(texts)});")
        for lane, count in reversed(self.product.lanes):
            iterator, trips = (self.pair, count // 2) if lane == self.paired else (lane, count)
            body = For(iterator, trips, (Pragma("unroll"), body))
        return [body]

    @property
    def text(self) -> str:
        """Return the product of a lane."""
        return self.product.at({})


@dataclass(frozen=True, slots=True)
class NarrowMultiplication:
    """A product of narrow integers, and the multiplier that a schedule asks for."""

    product: NarrowProduct
    is_packed: bool
    """Whether two are in one DSP; else each is in LUTs."""
    function: str
    """That computes one or two."""


def narrow_multiplication(
    scheduled: ScheduledNode,
    element_of: Callable[[str], ElementType],
    functions: OperatorFunctions,
) -> NarrowMultiplication | None:
    """Return the multiplier that a binding asks for; None for the tool's, or without a product.

    Parameters
    ----------
    element_of
        Element type of an array that it reads or writes, by name.
    """
    built = dict(scheduled.binding).get(Operator.MUL)
    if built not in (Implementation.PACKED, Implementation.FABRIC):
        return None
    product = narrow_product(scheduled.node, element_of)
    if product is None:
        return None
    is_packed = built is Implementation.PACKED
    function = functions.packed_products if is_packed else functions.narrow_product
    return NarrowMultiplication(product, is_packed, function(product.element.bits))


def packed_products(
    product: NarrowProduct,
    lanes: Sequence[TiledLoop],
    iterators: Mapping[str, str],
    unique: Callable[[str], str],
) -> PackedProducts | None:
    """Return the products of a node's lanes; None where no two lanes have a factor in common.

    Parameters
    ----------
    lanes
        Loops with lanes.
    iterators
        Of the lanes, by loop.
    unique
        From a wished name to a free one.
    """
    left, right = (
        {name for access in reads(factor) for name in access.iterators()}
        for factor in (product.left, product.right)
    )
    candidates = [loop for loop in lanes if (loop.name in left) is not (loop.name in right)]
    if not candidates:
        return None
    paired = min(candidates, key=lambda loop: -(-loop.unroll // 2) / loop.unroll)

    def registers(name: str, element: ElementType, over: set[str]) -> _Registers:
        counts = {p.name: p.unroll + (p is paired and p.unroll % 2) for p in lanes}
        kept = tuple((iterators[loop], counts[loop]) for loop in counts if loop in over)
        return _Registers(unique(name), element, kept)

    factors = [registers(n, product.factor, s) for n, s in (("left", left), ("right", right))]
    are_swapped = paired.name in left
    return PackedProducts(
        (factors[are_swapped], factors[not are_swapped]),
        are_swapped,
        registers("product", product_type(product.element.bits), left | right),
        iterators[paired.name],
        unique("pair"),
    )
