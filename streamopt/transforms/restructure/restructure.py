"""The passes in order: from a source to a program of streaming and sequential nests."""

from collections.abc import Callable, Iterable
from math import prod

from streamopt.analysis.instances import instances, may_run
from streamopt.errors import Diagnostic, LegalityError
from streamopt.ir.program import Program
from streamopt.ir.source import Source
from streamopt.transforms.restructure.decisions import with_kept_decisions
from streamopt.transforms.restructure.flat_source import FlatSource
from streamopt.transforms.restructure.fold import drop_unused, fold_copies, fold_starts
from streamopt.transforms.restructure.loops.joined_loops import with_joined_loops
from streamopt.transforms.restructure.loops.joined_writes import with_joined_writes
from streamopt.transforms.restructure.loops.perfect_loops import (
    has_ends,
    with_first_values,
    with_last_values,
)
from streamopt.transforms.restructure.loops.split_loops import is_divided, with_split_counters
from streamopt.transforms.restructure.naming import final_names
from streamopt.transforms.restructure.reductions import with_extremes
from streamopt.transforms.restructure.storage.accumulators import accumulate_in_place
from streamopt.transforms.restructure.storage.dimensions import with_dimensions
from streamopt.transforms.restructure.storage.early_values import with_early_values
from streamopt.transforms.restructure.storage.forwarding import forward_copies
from streamopt.transforms.restructure.storage.scalars import (
    expand_variables,
    private_work_arrays,
    split_variables,
)
from streamopt.transforms.restructure.storage.substitution import forward_substitution
from streamopt.transforms.restructure.versions import versioned

SOURCE_PASSES = (with_extremes, with_kept_decisions)
"""Passes on loops and branches as written."""
SCALAR_PASSES = (
    split_variables,
    with_early_values,
    forward_substitution,
    private_work_arrays,
    expand_variables,
)
"""Passes on single statements in their loops: scalars and work arrays leave their way."""
STATEMENT_PASSES = (
    with_dimensions,
    with_joined_loops,
    *SCALAR_PASSES,
    with_joined_writes,
    forward_copies,
    accumulate_in_place,
)
"""All passes on single statements in their loops."""
PARTED_PASSES = (
    with_split_counters,
    with_first_values,
    *STATEMENT_PASSES,
    with_last_values,
    with_first_values,
)
"""The same, with what runs at the first and last iteration of a perfect nest apart."""
PROGRAM_PASSES = (drop_unused, fold_starts, fold_copies, drop_unused)
"""Passes on nests, each of which writes arrays of its own."""


def restructure(source: Source) -> Program:
    """Return the program that computes what a source does, in the same order of operations.

    Statements that can be become streaming nests; the others stay together in sequential nests,
    each with the reason.

    Raises
    ------
    LegalityError
        E221 if the source writes nothing that its caller sees.
    """
    source = _prepared(source)
    flat = _changed(flat_source(source), STATEMENT_PASSES)
    seen = {v.name for v in source.variables if v.is_argument and v.is_wanted}
    if not any(instance.target.array in seen for instance in flat.statements):
        message = f"'{source.name}' writes no array that its caller sees"
        hint = "write an array argument"
        raise LegalityError(Diagnostic("E221", message, hint=hint))
    values = {
        name: numbers.reshape(flat.variables[name].shape)
        for name, numbers in source.values.items()
        if name in flat.variables
    }
    program = versioned(source.name, flat, values)
    if any(nest.sequential for nest in program.nests) and any(
        has_ends(one) or is_divided(one) for one in flat.statements
    ):
        parted = _changed(flat_source(source), PARTED_PASSES)
        if parted.statements != flat.statements:
            other = versioned(source.name, parted, values)
            program = min(program, other, key=_iterations_in_order)
    for each in PROGRAM_PASSES:
        program = each(program)
    return final_names(program, source)


def _iterations_in_order(program: Program) -> int:
    """Return the iterations of statements that sequential nests run one after another."""
    return sum(
        len(nest.statements) * prod(nest.trip_counts.values())
        for nest in program.nests
        if nest.sequential
    )


def expanded_source(source: Source) -> FlatSource:
    """Return the statements of a source, with scalars and work arrays out of their way."""
    return _changed(flat_source(_prepared(source)), SCALAR_PASSES)


def flat_source(source: Source) -> FlatSource:
    """Return the statements of a source that may run, with its variables."""
    statements = tuple(filter(may_run, instances(source.body)))
    return FlatSource(statements, {v.name: v for v in source.variables})


def _prepared(source: Source) -> Source:
    for changed in SOURCE_PASSES:
        source = changed(source)
    return source


def _changed(flat: FlatSource, passes: Iterable[Callable[[FlatSource], FlatSource]]) -> FlatSource:
    for changed in passes:
        flat = changed(flat)
    return flat
