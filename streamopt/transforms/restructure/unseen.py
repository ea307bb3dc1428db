"""Statements whose values nobody sees, as others overwrite them unread."""

from streamopt.analysis.dependence import DataFlow, lasting_writers
from streamopt.transforms.restructure.flat_source import FlatSource, uses_of


def without_unseen(body: FlatSource, flow: DataFlow) -> FlatSource:
    """Drop statements whose values no other reads, and that the caller doesn't see either.

    Before: ``for i: y[i] = 2 * x[i]; y[i] = a``
    After:  ``for i: y[i] = a``

    Parameters
    ----------
    flow
        Of the statements.
    """
    read = {writer for writer, touch in flow.relations if touch.statement != writer}
    unread = {at for at in range(len(body.statements)) if at not in read}
    wanted = {
        name: body.variables[name].shape
        for name, writers in uses_of(body.statements).writers.items()
        if _is_seen(name, body) and len(writers) > 1 and unread.intersection(writers)
    }
    lasting = lasting_writers(body.statements, wanted) if wanted else frozenset[int]()
    known = {body.statements[at].target.array for at in lasting}
    gone = {
        at
        for at in unread - lasting
        for name in (body.statements[at].target.array,)
        if name in known or not _is_seen(name, body)
    }
    if not gone:
        return body
    kept = tuple(one for at, one in enumerate(body.statements) if at not in gone)
    return FlatSource(kept, body.variables)


def _is_seen(name: str, body: FlatSource) -> bool:
    variable = body.variables[name]
    return variable.is_argument and variable.is_wanted
