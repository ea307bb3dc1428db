"""An option to write golden texts; SIGINT, which a shell switches off for background jobs; and
property tests that no clock ends: machines may be busy.
"""

from __future__ import annotations

import signal

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(  # on top of what is chosen already: in CI, the same cases every time
    "untimed",
    settings.default,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("untimed")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-golden",
        action="store_true",
        help="write the golden texts anew; the tests that do so fail",
    )


@pytest.fixture
def update_golden(request: pytest.FixtureRequest) -> bool:
    """Return whether golden texts are to be written."""
    return bool(request.config.getoption("--update-golden"))
