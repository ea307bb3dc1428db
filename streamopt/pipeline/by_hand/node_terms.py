"""The choices of a node in the mathematical program, as expressions for a user's constraints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, Any

from streamopt.errors import Diagnostic, OptionError
from streamopt.options import closest
from streamopt.space.row_values import NodeRows

if TYPE_CHECKING:
    from streamopt.formulation.compact.variables import Compact


class ByName(dict[str, Any]):
    """Values by name; an unknown name is told with the one that may be meant."""

    def __missing__(self, name: str) -> Any:
        """Refuse a name that is not there (E543)."""
        near = closest(str(name), [*self])
        hint = f"did you mean '{near}'?" if near else f"choose from {', '.join(self)}"
        raise OptionError(Diagnostic("E543", f"there is no '{name}'", hint=hint))


@dataclass(frozen=True, slots=True, repr=False)
class NodeTerms:
    """Linear expressions in the choice of one node's row.

    Attributes
    ----------
    rows
        Every row that the node may take: its loop order, unroll factors, times and DSPs.
    """

    name: str
    rows: NodeRows
    _compact: Compact

    @property
    def dsps(self) -> Any:
        """The DSPs of the node, in the accounting of the level."""
        return self.total(self.rows.dsps.tolist())

    @property
    def lanes(self) -> Any:
        """The copies of the loop body that work in parallel."""
        return self.total([prod(factors) for factors in self.rows.factors])

    @property
    def latency(self) -> Any:
        """The cycles of the node's run if it never waits: from its start to its last write."""
        return self.total(self.rows.times.last_write.tolist())

    @property
    def start(self) -> Any:
        """The variable of the cycle in which the node starts."""
        return self._compact.start[self.name]

    @property
    def end(self) -> Any:
        """The variable of the cycle of the node's last write."""
        return self._compact.last[self.name]

    @property
    def unroll(self) -> ByName:
        """The unroll factor by loop."""
        if self.rows.plans:
            each = [plan.factors for plan in self.rows.plans]
            names = dict.fromkeys(name for factors in each for name in factors)
            return ByName({n: self.total([own.get(n, 1) for own in each]) for n in names})
        loops = self._compact.space.graph.node(self.name).trip_counts
        columns = enumerate(loops)
        return ByName({n: self.total([f[at] for f in self.rows.factors]) for at, n in columns})

    def has_order(self, loops: Iterable[str]) -> Any:
        """Return 1 where the node's loops run in this order, from the outermost in; else 0.

        Parameters
        ----------
        loops
            Names of all loops of the node.
        """
        wanted = tuple(loops)
        return self.total([int(order == wanted) for order in self.rows.orders])

    def total(self, values: Sequence[float]) -> Any:
        """Return the value of the row that is chosen.

        Parameters
        ----------
        values
            One for each of ``rows``.
        """
        return self._compact.over_rows(self.name, values)

    def __repr__(self) -> str:
        """Return the node's name and its number of rows."""
        return f"<NodeTerms of {self.name}: {len(self.rows)} rows>"
