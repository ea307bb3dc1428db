"""POM: loop orders by dependences, then tiles for the bottleneck of the longest path."""

from streamopt.strategies.pom.program_stage import dependence_steps
from streamopt.strategies.pom.strategy import design

__all__ = ["dependence_steps", "design"]
