"""Calls within processor seconds."""

from __future__ import annotations

import os
import time

import pytest

from streamopt.errors import Diagnostic, FrontendError
from streamopt.sweeping.limited import CrashedError, GivenUpError, limited, within


def spin() -> None:
    while True:
        pass


def refused() -> None:
    raise FrontendError(Diagnostic("E163", "no such operator"))


def test_an_answer_comes_back() -> None:
    assert limited(60, divmod, 7, 2) == (3, 1)


def test_a_call_ends_with_its_processor_time() -> None:
    with pytest.raises(GivenUpError, match="more than 1 s of processor time"):
        limited(1, spin)


def test_a_refusal_has_its_code() -> None:
    with pytest.raises(GivenUpError, match="E163: no such operator"):
        limited(60, refused)


def test_a_call_that_waits_ends_too() -> None:
    with pytest.raises(GivenUpError, match=r"no answer within 0\.5 s"):
        within(0.5, time.sleep, 60)


def test_a_crash_has_its_exit_code() -> None:
    with pytest.raises(CrashedError, match="exit code 7"):
        within(60, os._exit, 7)
    with pytest.raises(GivenUpError, match="it crashed"):
        limited(60, os._exit, 7)
