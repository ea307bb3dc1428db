"""Loop transformations on the loops as written, each checked against all dependences.

`timed_program` gives every statement its times, `transformed` carries out one step or refuses it,
`generated` writes the loops of the new times. All of them are functions of plain values.
"""

from streamopt.transforms.scheduling.generate import generated
from streamopt.transforms.scheduling.lift import lifted
from streamopt.transforms.scheduling.timed import (
    TimedLoop,
    TimedProgram,
    TimedStatement,
    timed_program,
)
from streamopt.transforms.scheduling.transformed import transformed

__all__ = [
    "TimedLoop",
    "TimedProgram",
    "TimedStatement",
    "generated",
    "lifted",
    "timed_program",
    "transformed",
]
