"""Seeds of tests that try other cases in every run: a failure tells its seed.

``TEST_SEED=12345 pytest ...`` runs the cases of a failure again.
"""

from __future__ import annotations

import logging
import os
import random

__all__ = ["seeded"]

logger = logging.getLogger(__name__)
FIRST = int(
    os.environ.get("TEST_SEED")
    or (0 if os.environ.get("CI") else random.SystemRandom().randrange(10**6))
)


def seeded(case: int) -> random.Random:
    """Return the random numbers of a case; what is logged is shown where the test fails."""
    logger.warning("random case %d of TEST_SEED=%d", case, FIRST)
    return random.Random(FIRST + case)
