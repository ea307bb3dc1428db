"""The passes in order: from a source to a program of streaming and sequential nests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.dependence import data_flow
from streamopt.analysis.instances import instances
from streamopt.analysis.ranges import may_run
from streamopt.errors import Diagnostic, LegalityError
from streamopt.transforms.restructure.decisions import with_kept_decisions
from streamopt.transforms.restructure.distribute import distributed
from streamopt.transforms.restructure.flat_source import FlatSource
from streamopt.transforms.restructure.fold import drop_unused, fold_copies, fold_starts
from streamopt.transforms.restructure.naming import final_names
from streamopt.transforms.restructure.reductions import with_extremes
from streamopt.transforms.restructure.scalars import (
    expand_variables,
    private_work_arrays,
    split_variables,
)
from streamopt.transforms.restructure.substitution import forward_substitution
from streamopt.transforms.restructure.versions import versioned

if TYPE_CHECKING:
    from streamopt.ir.program import Program
    from streamopt.ir.source import Source

__all__ = ["expanded_body", "restructure"]


def restructure(source: Source) -> Program:
    """Return the program that computes what a source does, in the same order of operations.

    Statements that can be become streaming nests; the others stay together in sequential nests,
    each with the reason.

    Raises
    ------
    LegalityError
        E221 if the source writes nothing that its caller sees.
    """
    source = with_kept_decisions(with_extremes(source))
    body = _expanded(source)
    seen = {v.name for v in source.variables if v.is_argument and v.is_wanted}
    if not any(instance.target.array in seen for instance in body.statements):
        message = f"'{source.name}' writes no array that its caller sees"
        hint = "write an array argument"
        raise LegalityError(Diagnostic("E221", message, hint=hint))
    groups = distributed(body.statements)
    flow = data_flow(body.statements)
    program = versioned(source.name, body, groups, flow, source.values)
    return final_names(drop_unused(fold_copies(fold_starts(drop_unused(program)))), source)


def expanded_body(source: Source) -> FlatSource:
    """Return the statements of a source, with scalars and work arrays out of their way."""
    return _expanded(with_kept_decisions(with_extremes(source)))


def _expanded(source: Source) -> FlatSource:
    statements = tuple(filter(may_run, instances(source.body)))
    body = FlatSource(statements, {v.name: v for v in source.variables})
    body = forward_substitution(split_variables(body))
    return expand_variables(private_work_arrays(body))
