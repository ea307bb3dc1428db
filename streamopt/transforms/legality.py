"""What a program must satisfy to become a dataflow graph; one function for each group of rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamopt.analysis.coverage import TooLargeError, first_unmarked, is_injective, mark
from streamopt.errors import Diagnostic
from streamopt.ir.expression import reads
from streamopt.ir.program import Role, users
from streamopt.transforms.statement_checks import statement_problems, statement_reads

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from streamopt.ir.program import Array, Nest, Program, Statement

__all__ = ["array_problems", "nest_problems", "order_problems"]


def order_problems(
    program: Program,
    waits: Mapping[tuple[int, int], tuple[str, ...]],
    order: Sequence[int],
) -> Iterator[Diagnostic]:
    """Yield E201 and E202; arguments as `streamopt.ir.program.dependences` gives them."""
    nests = program.nests
    all_writers, all_readers = users(nests)
    for array, writers in all_writers.items():
        for reader in all_readers.get(array, ()):
            later = [writer for writer in writers if writer > reader]
            if later and writers[0] < reader and reader not in writers:
                message = f"node '{nests[reader].name}' reads {array} before node "
                message += f"'{nests[later[0]].name}' writes it"
                hint = "move the reader behind all writers, or give the writers arrays of their own"
                yield Diagnostic("E201", message, nests[reader].loc, hint)
    if len(order) < len(nests):
        cycle = _cycle(waits, set(range(len(nests))) - set(order))
        names = " -> ".join(nests[at].name for at in (*cycle, cycle[0]))
        steps = zip(cycle, (*cycle[1:], cycle[0]), strict=True)
        arrays = dict.fromkeys(array for step in steps for array in waits[step])
        message = f"nodes wait for each other: {names} through {', '.join(arrays)}"
        hint = "break the circle: one of the arrays needs a new name after it is changed"
        yield Diagnostic("E202", message, nests[cycle[0]].loc, hint)


def _cycle(waits: Mapping[tuple[int, int], object], left: set[int]) -> list[int]:
    """Return a cycle from its first position on; every position left waits for one that is left."""
    earlier: dict[int, int] = {}
    for before, after in sorted(waits, reverse=True):
        if before in left and after in left:
            earlier[after] = before
    path = [min(left)]
    while earlier[path[-1]] not in path:
        path.append(earlier[path[-1]])
    cycle = path[path.index(earlier[path[-1]]) :][::-1]
    start = cycle.index(min(cycle))
    return cycle[start:] + cycle[:start]


def nest_problems(program: Program) -> Iterator[Diagnostic]:
    """Yield E203, E208, E209 and E211 to E215 of the statements of each nest."""
    for nest in program.nests:
        for statement in nest.statements:
            loc = statement.loc or nest.loc
            array = program.array(statement.target.array)
            if array.is_given:
                message = f"node '{nest.name}' writes {array.name}, which has role {array.role}"
                yield Diagnostic(
                    "E211", message, loc, "write an array with role internal or output"
                )
            if not nest.sequential:
                yield from _streaming_problems(nest, statement, array)
            yield from statement_problems(program, nest, statement)


def _streaming_problems(nest: Nest, statement: Statement, array: Array) -> Iterator[Diagnostic]:
    target, loc = statement.target, statement.loc or nest.loc
    own = [a for e in statement.expressions for a in reads(e) if a.array == array.name]
    if own:
        message = f"node '{nest.name}' reads {own[0]} of the array that it writes as {target}"
        hint = f"only `{target} = {target} + ...`, and with *, max or min, is a reduction; "
        yield Diagnostic("E203", message, loc, f"{hint}else write another array")
    if statement.guard is not None and statement.reduction is None:
        message = f"node '{nest.name}' assigns {target} under a guard"
        hint = "say what the other elements are: `a if condition else b`"
        yield Diagnostic("E213", message, loc, hint)
    problem = _repeated_write(nest, statement, array)
    if problem is not None:
        yield problem


def _repeated_write(nest: Nest, statement: Statement, array: Array) -> Diagnostic | None:
    target, loc = statement.target, statement.loc or nest.loc
    used = target.iterators()
    idle = [loop.name for loop in nest.loops if loop.name not in used and loop.trip_count > 1]
    if idle and statement.reduction is None:
        message = f"node '{nest.name}' assigns each {target} once for every {', '.join(idle)}"
        hint = f"use += for a sum, or give {target} a subscript with {idle[0]}"
        return Diagnostic("E208", message, loc, hint)
    try:
        if is_injective(target, nest.trip_counts, array.shape):
            return None
    except TooLargeError:
        return _too_large(nest, str(target))
    message = f"different iterations of {', '.join(used)} in node '{nest.name}' write the same "
    if statement.reduction is None:
        hint = "write each element at one iteration"
        return Diagnostic("E208", f"{message}element {target}", loc, hint)
    hint = "let the subscripts of a reduction name each element by one value of its iterators"
    return Diagnostic("E209", f"{message}sum {target}", loc, hint)


def array_problems(program: Program) -> Iterator[Diagnostic]:
    """Yield E204 to E207 and E212 of the arrays that nodes hand over or back."""
    all_writers, all_readers = users(program.nests)
    for array in program.arrays:
        if array.is_given:
            continue
        writers = [program.nests[at] for at in all_writers.get(array.name, ())]
        readers = [program.nests[at] for at in all_readers.get(array.name, ())]
        if not writers:
            message = f"{array.role} array {array.name} is never written"
            hint = "add the node that computes it, or give it role input"
            yield Diagnostic("E205", message, readers[0].loc if readers else None, hint)
            continue
        yield from _shared_reductions(array, writers)
        if array.role is Role.INTERNAL and not readers:
            message = f"{array.name} is computed by node '{writers[-1].name}' but never used"
            hint = "give it role output or remove the node"
            yield Diagnostic("E206", message, writers[-1].loc, hint)
        try:
            yield from _uncovered(array, writers, readers)
        except TooLargeError:
            yield _too_large(writers[0], array.name)


def _shared_reductions(array: Array, writers: Sequence[Nest]) -> Iterator[Diagnostic]:
    for nest in writers:
        others = [other.name for other in writers if other is not nest]
        if not nest.sequential and nest.statements[0].reduction is not None and others:
            message = f"node '{nest.name}' reduces into {array.name}, which node '{others[0]}' "
            hint = "a reduction starts afresh: reduce into an array of its own, then combine both"
            yield Diagnostic("E204", f"{message}writes too", nest.loc, hint)


def _uncovered(
    array: Array, writers: Sequence[Nest], readers: Sequence[Nest]
) -> Iterator[Diagnostic]:
    if any(nest.sequential for nest in writers):
        return
    writes = [(nest.statements[0].target, nest.trip_counts, ()) for nest in writers]
    written = mark(writes, array.shape)
    if written is None:
        return
    hint = "write all elements first, for instance with a node that assigns 0"
    for nest in readers:
        accesses = [
            (access, nest.trip_counts, conditions)
            for statement in nest.statements
            for access, conditions in statement_reads(statement)
            if access.array == array.name
        ]
        element = first_unmarked(written, mark(accesses, array.shape))
        if element is not None:
            message = f"node '{nest.name}' reads {_element(array, element)}, which no node writes"
            yield Diagnostic("E207", message, nest.loc, hint)
    element = first_unmarked(written, None)
    if array.role is Role.OUTPUT and element is not None:
        message = f"no node writes {_element(array, element)} of output {array.name}"
        yield Diagnostic("E207", message, writers[-1].loc, hint)


def _element(array: Array, element: tuple[int, ...]) -> str:
    return array.name + "".join(f"[{index}]" for index in element)


def _too_large(nest: Nest, what: str) -> Diagnostic:
    message = f"{what} in node '{nest.name}' has too many elements to check that each is written"
    hint = "use subscripts with one iterator each, or smaller loops"
    return Diagnostic("E212", message, nest.loc, hint)
