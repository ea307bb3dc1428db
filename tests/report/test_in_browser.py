"""Reports in headless Chromium: no errors, no requests, light and dark, on paper."""

from __future__ import annotations

import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.reported_design import report

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    "--host-resolver-rules=MAP * ~NOTFOUND",
    *("--enable-logging=stderr", "--v=0"),
)
pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium isn't installed: apt-get install chromium"
)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return report().write(tmp_path_factory.mktemp("browser") / "report.html")


def run(page: Path, *options: str) -> str:
    """Return what Chromium says on the console while it shows the page."""
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [str(CHROMIUM), *QUIET, profile, *options, page.as_uri()]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return "\n".join(line for line in done.stderr.splitlines() if ":CONSOLE" in line)


def mean(path: Path) -> float:
    """Return the mean of all pixels, from 0 for black to 1 for white."""
    from matplotlib.image import imread

    pixels: Any = imread(path)
    return float(pixels[..., :3].mean())


def test_light_and_dark_without_complaint(page: Path) -> None:
    light, dark = page.with_name("light.png"), page.with_name("dark.png")
    size = "--window-size=1250,3000"
    assert run(page, size, f"--screenshot={light}") == ""
    assert run(page, size, f"--screenshot={dark}", "--blink-settings=preferredColorScheme=0") == ""
    assert mean(light) > 0.8
    assert mean(dark) < 0.3


def test_it_prints_with_all_tables(page: Path) -> None:
    paper = page.with_name("report.pdf")
    assert run(page, "--no-pdf-header-footer", f"--print-to-pdf={paper}") == ""
    content = paper.read_bytes()
    assert content.startswith(b"%PDF-")
    assert 3 <= len(re.findall(rb"/Type\s*/Page\b", content)) <= 12
