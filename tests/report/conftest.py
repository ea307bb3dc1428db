"""Chromium, which the tests of a module share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.chromium import Tab, browser

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture(scope="module")
def tab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tab]:
    with browser(tmp_path_factory.mktemp("profile")) as found:
        yield found
