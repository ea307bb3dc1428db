"""Objectives of a schedule."""

from __future__ import annotations

from enum import StrEnum

__all__ = ["Objective"]


class Objective(StrEnum):
    """The quantity that is minimised, as on the command line."""

    LATENCY = "latency"  # the latency of one frame
    INTERVAL = "interval"  # the distance of frames that follow each other
    LATENCY_DSPS = "latency-dsps"  # the latency, and of all schedules that have it, the DSPs
    DSPS = "dsps"  # the DSPs, of all schedules within a latency
