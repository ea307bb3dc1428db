"""All values of the exact search that were chosen by hand, under one digest."""

from hashlib import blake2b

from streamopt.search.labels import clusters, component, label_setting
from streamopt.search.local import tuning as local
from streamopt.search.relaxation import (
    beam,
    column_generation,
    interior_point,
    pieces,
    target_refutation,
)
from streamopt.strategies.resources import branch_and_bound, budgeted, relaxation

ALGORITHMS = (
    component,
    clusters,
    label_setting,
    pieces,
    column_generation,
    interior_point,
    target_refutation,
    beam,
    local,
    relaxation,
    branch_and_bound,
    budgeted,
)
"""Modules that have a `TUNING`."""


def tuning_digest() -> str:
    """Return eight hexadecimal digits that change with any value of a tuning.

    They are reported with every schedule of the search, beside its version.
    """
    values = [repr(module.TUNING) for module in ALGORITHMS] + [repr(column_generation.CAPS)]
    return blake2b("\n".join(values).encode(), digest_size=4).hexdigest()
