"""One thing that streamopt needs or can use, and whether it is there."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

__all__ = ["Check", "Group", "State"]


class Group(StrEnum):
    """What a check is about, in the order in which they are told."""

    CORE = "core"
    EXTRA = "extra"
    SOLVER = "solver"
    TOOL = "tool"
    VENDOR = "vendor"


class State(StrEnum):
    """What was found."""

    OK = "ok"
    MISSING = "missing"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class Check:
    """What was found of one thing.

    Attributes
    ----------
    version
        Empty where it is not there, or doesn't tell.
    note
        What it is for, its licence, or what is wrong with it.
    fix
        Command or step that mends it; empty where nothing is to be done.
    extra
        Of streamopt that brings it; empty for what comes along or isn't a package.
    serves_a_verb
        Whether some verb of the command line can't do without it.
    """

    group: Group
    name: str
    state: State
    version: str = ""
    note: str = ""
    fix: str = ""
    extra: str = ""
    serves_a_verb: bool = True

    @property
    def breaks_core(self) -> bool:
        """Return whether nothing can be solved as it is."""
        return self.group is Group.CORE and self.state is not State.OK
