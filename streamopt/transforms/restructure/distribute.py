"""Statement distribution: loops split around statements that don't wait for each other in a circle.

[1] Kennedy and Allen, Optimizing Compilers for Modern Architectures, 2001, chapter 2.
"""

from collections.abc import Iterable, Sequence

from streamopt.ir.program import topological_order


def distributed(count: int, pairs: Iterable[tuple[int, int]]) -> tuple[tuple[int, ...], ...]:
    """Return groups of statements in an order that keeps all dependences.

    Before: ``for i, j: s[j] += r[i] * A[i][j]; q[i] += A[i][j] * p[j]``
    After:  ``for i, j: s[j] += r[i] * A[i][j]`` and ``for i, j: q[i] += A[i][j] * p[j]``

    Legal as every dependence by memory goes from an earlier group to a later one ([1]); statements
    on a circle stay together. A group stands as early as its first statement does in the program.

    Parameters
    ----------
    pairs
        Statements (earlier, later) that can't change places.
    """
    pairs = {*pairs}
    later: list[set[int]] = [set() for _ in range(count)]
    for earlier, other in pairs:
        later[earlier].add(other)
    groups = sorted(_circles(later))
    group_of = {member: at for at, group in enumerate(groups) for member in group}
    between = {(group_of[earlier], group_of[other]) for earlier, other in pairs}
    order = topological_order(len(groups), [pair for pair in between if pair[0] != pair[1]])
    return tuple(groups[at] for at in order)


def _circles(later: Sequence[set[int]]) -> list[tuple[int, ...]]:
    """Return the strongly connected components, members in order: Tarjan's algorithm, as a loop."""
    index: dict[int, int] = {}
    lowest: dict[int, int] = {}
    stack: list[int] = []
    open_members: set[int] = set()
    found: list[tuple[int, ...]] = []
    for root in range(len(later)):
        work = [] if root in index else [(root, iter(later[root]))]
        while work:
            at, others = work[-1]
            if at not in index:
                index[at] = lowest[at] = len(index)
                stack.append(at)
                open_members.add(at)
            other = next((o for o in others if o not in index or o in open_members), None)
            if other is None:
                work.pop()
                if work:
                    before = work[-1][0]
                    lowest[before] = min(lowest[before], lowest[at])
                if lowest[at] == index[at]:
                    start = stack.index(at)
                    found.append(tuple(sorted(stack[start:])))
                    open_members.difference_update(stack[start:])
                    del stack[start:]
            elif other in index:
                lowest[at] = min(lowest[at], index[other])
            else:
                work.append((other, iter(later[other])))
    return found
