"""Where files differ from what was emitted, told by cause: what it was, and what it is."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest

from streamopt.errors import Diagnostic, SourceLoc
from streamopt.verification.edits.causes import subject_of
from streamopt.verification.edits.statements import FileStatement, statements

_MATCHED_STATEMENTS = 4000
"""More that differ at once are told as one place."""
_LINES = 3
"""Named of further places with the same cause."""


@dataclass(frozen=True, slots=True)
class _Change:
    """A statement that was changed; nothing of one that was added or taken out."""

    cause: str
    was: str
    now: str
    line: int


def differences(path: str, emitted: str, there: str) -> Iterator[Diagnostic]:
    """Yield E728 for each cause by which a file differs from the emitted one.

    White space and comments make no difference.
    """
    found = [*_changes(path, statements(path, emitted), statements(path, there))]
    for cause in dict.fromkeys(change.cause for change in found):
        own = [change for change in found if change.cause == cause]
        added = {change.now: change for change in own if not change.was}
        moved = next((added[one.was] for one in own if not one.now and one.was in added), None)
        if moved is not None and len(own) == 2:
            message = f"{cause}: `{moved.now}` was moved"
            yield Diagnostic("E728", message, SourceLoc(path, line=moved.line))
            continue
        message = f"{cause}: was {_quoted(own[0].was)}, is {_quoted(own[0].now)}"
        further = [str(change.line) for change in own[1:]]
        if further:
            rest = f" and {len(further) - _LINES} more" if len(further) > _LINES else ""
            message += f"; also line {', '.join(further[:_LINES])}{rest}"
        yield Diagnostic("E728", message, SourceLoc(path, line=own[0].line))


def _changes(
    path: str, emitted: Sequence[FileStatement], there: Sequence[FileStatement]
) -> Iterator[_Change]:
    old, new = [one.text for one in emitted], [one.text for one in there]
    same = min(len(old), len(new))
    start = next((at for at in range(same) if old[at] != new[at]), same)
    end = next((at for at in range(same - start) if old[-1 - at] != new[-1 - at]), same - start)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    blocks = [("replace", 0, len(old), 0, len(new))]
    if len(old) + len(new) <= _MATCHED_STATEMENTS:
        blocks = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    for kind, first, last, from_, to in blocks:
        if kind != "equal":
            was, now = emitted[start + first : start + last], there[start + from_ : start + to]
            place = there[min(start + to, len(there) - 1)].line if there else 1
            yield from _paired(path, was, now, place)


def _paired(
    path: str, was: Sequence[FileStatement], now: Sequence[FileStatement], place: int
) -> Iterator[_Change]:
    """Yield the changes of one place; statements about the same thing belong together."""
    old, new = ([(subject_of(path, one), one) for one in side] for side in (was, now))
    for subject in dict.fromkeys(subject for subject, _ in (*old, *new)):
        pairs = zip_longest(
            *([one for about, one in side if about == subject] for side in (old, new))
        )
        for before, after in pairs:
            where = (after or before).function
            is_shared = not where or subject.startswith("FIFO ")
            cause = subject if is_shared else f"{subject} in {where}"
            shown = [one.shown if one is not None else "" for one in (before, after)]
            line = after.line if after is not None else place
            yield _Change(cause, shown[0], shown[1], line)


def _quoted(shown: str) -> str:
    return f"`{shown}`" if shown else "nothing"
