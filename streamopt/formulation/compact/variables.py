"""Variables of the compact program, and the sums over rows that its families share."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from streamopt.formulation.tags import Formulation, pyo, weighted_sum
from streamopt.space.decisions import DecisionSpace
from streamopt.space.row_values import NodeRows

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Compact:
    """The model under construction with its data."""

    formulation: Formulation
    space: DecisionSpace
    rows: Mapping[str, NodeRows]
    horizon_cycles: int
    """Bound of all times."""
    row: Mapping[str, Sequence[Any]]
    """By node: one binary for each of its rows."""
    factor: Mapping[int, Sequence[Any]]
    """By index of a tile class of several nodes: one binary for each of its factors."""
    fifo: Mapping[str, Any]
    """By streamable channel: whether it is a FIFO."""
    # start, last: by node: st and lw in cycles
    start: Mapping[str, Any]
    last: Mapping[str, Any]

    def over_rows(self, node: str, values: Sequence[float] | Integers) -> Any:
        """Return ``sum(value of row * row)``: the value of the chosen row."""
        return weighted_sum(np.asarray(values).tolist(), self.row[node])


def add_variables(
    formulation: Formulation,
    space: DecisionSpace,
    rows: Mapping[str, NodeRows],
    horizon_cycles: int,
) -> Compact:
    """Return the program with its variables and no constraints."""
    model = formulation.model
    names = [node.name for node in space.graph.nodes]
    shared = [
        index
        for index, group in enumerate(space.classes)
        if len({node for node, _ in group.members}) > 1 and len(group.factors) > 1
    ]
    model.row = pyo.Var(
        [(name, r) for name in names for r in range(len(rows[name]))], domain=pyo.Binary
    )
    model.factor = pyo.Var(
        [(index, factor) for index in shared for factor in space.classes[index].factors],
        domain=pyo.Binary,
    )
    model.fifo = pyo.Var(sorted(space.streamable), domain=pyo.Binary)
    times: dict[str, Any] = {"domain": pyo.NonNegativeIntegers, "bounds": (0, horizon_cycles)}
    model.start = pyo.Var(names, **times)
    model.last = pyo.Var(names, **times)
    model.latency = pyo.Var(**times)
    return Compact(
        formulation=formulation,
        space=space,
        rows=rows,
        horizon_cycles=horizon_cycles,
        row={name: [model.row[name, r] for r in range(len(rows[name]))] for name in names},
        factor={
            index: [model.factor[index, factor] for factor in space.classes[index].factors]
            for index in shared
        },
        fifo={channel: model.fifo[channel] for channel in space.streamable},
        start={name: model.start[name] for name in names},
        last={name: model.last[name] for name in names},
    )
