"""Tests that interrupt a solve need SIGINT, which a shell switches off for background jobs."""

from __future__ import annotations

import signal

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
