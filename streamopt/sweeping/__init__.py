"""Many rows of measurements: graphs x DSP limits x levels and strategies x solvers x seeds.

An experiment (`documents`) gives points (`points`). Each is measured in a process of its own, here
(`rows`) or on a cluster (`cluster`), and kept in a journal (`journal`) as soon as it is there.
`running` puts them together.
"""

from streamopt.sweeping.running import sweep

__all__ = ["sweep"]
