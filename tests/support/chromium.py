"""Headless Chromium by its own protocol over two pipes: pages are opened, used and looked at."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
QUIET = (
    *("--headless=new", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
    *("--host-resolver-rules=MAP * ~NOTFOUND", "--remote-debugging-pipe"),
)
MOST_SECONDS = 60.0
"""Time for an answer."""
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="Chromium isn't installed: apt-get install chromium"
)


class Tab:
    """A page in a browser; ``complaints`` are its errors, warnings and requests so far."""

    def __init__(self, to: int, back: int) -> None:
        self.complaints: list[str] = []
        self._to, self._back, self._read = to, back, b""
        self._last, self._session, self._runs_scripts = 0, "", True
        target = self._call("Target.createTarget", url="about:blank")["targetId"]
        found = self._call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = str(found["sessionId"])
        for domain in ("Page", "Runtime", "Log", "Network"):
            self._call(f"{domain}.enable")

    def open(self, path: Path, hash_of: str = "") -> None:
        """Open a file, and wait until it has loaded and drawn."""
        address = path.as_uri() + (f"#{hash_of}" if hash_of else "")
        self._call("Page.navigate", url="about:blank")
        self._call("Page.navigate", url=address)
        until = time.monotonic() + MOST_SECONDS
        while self.does("location.protocol + document.readyState") != "file:complete":
            assert time.monotonic() < until, "the page doesn't load"
            time.sleep(0.01)
        if self._runs_scripts:
            self.settle()

    def settle(self) -> None:
        """Wait until the page has drawn what it was told."""
        twice = "requestAnimationFrame(() => requestAnimationFrame(done))"
        self.does(f"new Promise(done => {twice})")

    def does(self, script: str) -> Any:
        """Return the value of an expression in the page; raises AssertionError if it fails."""
        found = self._call(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True
        )
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def box(self, selector: str) -> tuple[float, float, float, float]:
        """Return left, top, width and height of an element, which is then in the middle."""
        found = self.does(
            f"(() => {{ const e = document.querySelector('{selector}');"
            "e.scrollIntoView({block: 'center', behavior: 'instant'});"
            "const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()"
        )
        self.settle()
        return found

    def sees(self, width: int, height: int, *, dark: bool = False, media: str = "") -> None:
        """Set the window's size, and what the reader prefers."""
        size = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self._call("Emulation.setDeviceMetricsOverride", **size)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        still = {"name": "prefers-reduced-motion", "value": "reduce"}
        self._call("Emulation.setEmulatedMedia", media=media, features=[scheme, still])
        self.settle()

    def scripts(self, *, run: bool) -> None:
        """Let pages that are opened run their scripts, or not."""
        self._runs_scripts = run
        self._call("Emulation.setScriptExecutionDisabled", value=not run)

    def points(self, kind: str, x: float, y: float, **more: Any) -> None:
        """Let the mouse do something: ``mouseMoved``, ``mousePressed``, ``mouseReleased``..."""
        button = {} if kind == "mouseMoved" and "buttons" not in more else {"button": "left"}
        clicks = {"clickCount": 1} if kind != "mouseMoved" else {}
        self._call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **{**button, **clicks, **more})

    def drags(self, start: tuple[float, float], end: tuple[float, float], **more: Any) -> None:
        """Press at one place and release at another."""
        self.points("mouseMoved", *start)
        self.points("mousePressed", *start, **more)
        self.points("mouseMoved", *end, buttons=1, **more)
        self.points("mouseReleased", *end, **more)
        self.settle()

    def presses(self, key: str, *, shift: bool = False) -> None:
        """Press a key."""
        text = {"text": key} if len(key) == 1 else {"text": "\r"} if key == "Enter" else {}
        for kind in ("keyDown", "keyUp"):
            self._call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                modifiers=8 if shift else 0,
                windowsVirtualKeyCode=KEYS.get(key, 0),
                **(text if kind == "keyDown" else {}),
            )
        self.settle()

    def picture(self, path: Path) -> Path:
        """Write what is seen as PNG."""
        data = self._call("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
        return path

    def prints(self) -> bytes:
        """Return the page as PDF."""
        found = self._call("Page.printToPDF", printBackground=False, displayHeaderFooter=False)
        return base64.b64decode(found["data"])

    def _call(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._last:
                assert "error" not in found, f"{method}: {found['error']}"
                return found["result"]
            self._note(found)

    def _next(self) -> dict[str, Any]:
        while b"\0" not in self._read:
            assert select.select([self._back], [], [], MOST_SECONDS)[0], "Chromium doesn't answer"
            more = os.read(self._back, 1 << 16)
            assert more, "Chromium ended"
            self._read += more
        text, _, self._read = self._read.partition(b"\0")
        return json.loads(text)

    def _note(self, event: dict[str, Any]) -> None:
        told = event.get("params", {})
        match event.get("method"):
            case "Runtime.consoleAPICalled" if told["type"] in ("error", "warning", "assert"):
                self.complaints.append(str(told["args"]))
            case "Runtime.exceptionThrown":
                self.complaints.append(str(told["exceptionDetails"]))
            case "Log.entryAdded":
                self.complaints.append(str(told["entry"]["text"]))
            case "Network.requestWillBeSent":
                url = str(told["request"]["url"])
                if not url.startswith(("file:", "data:", "about:")):
                    self.complaints.append(f"request of {url}")
            case _:
                pass


KEYS = {
    **{"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36},
    **{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40},
}


@contextmanager
def browser(profile: Path) -> Generator[Tab]:
    """Start Chromium with an own profile; yields its only page."""
    to_read, to_write = os.pipe()
    back_read, back_write = os.pipe()
    # The protocol is spoken on descriptors 3 and 4, whatever the pipes got.
    shell = f'exec "$@" 3<&{to_read} 4>&{back_write}'
    command = [str(CHROMIUM), *QUIET, f"--user-data-dir={profile}", "about:blank"]
    process = subprocess.Popen(
        ["/bin/bash", "-c", shell, "chromium", *command],
        pass_fds=(to_read, back_write),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    os.close(to_read)
    os.close(back_write)
    try:
        yield Tab(to_write, back_read)
    finally:
        process.kill()
        process.wait()
        os.close(to_write)
        os.close(back_read)
