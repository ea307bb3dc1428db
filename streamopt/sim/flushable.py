from __future__ import annotations
from streamopt.sim.stalling import advance_stalling as advance_flushable
__all__=["advance_flushable"]
