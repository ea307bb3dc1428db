"""Numbers as reports of synthesis write them: ranges, shares, dashes and marks."""

import re

_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_MOST = 1e18
"""Above which a number is nobody's cycles."""
_SHARE = re.compile(r"\(.*?\)")
_RELEASE = re.compile(r"20\d\d\.\d")


def count(text: str | None) -> int | None:
    """Return a whole number, the most of a range; None for what is no number.

    Examples
    --------
    >>> count("0 ~ 63"), count("192 (15%)"), count("undef")
    (63, 192, None)
    """
    found = (float(number) for number in _NUMBER.findall(_SHARE.sub("", text or "")))
    return max((round(number) for number in found if number < _MOST), default=None)


def nanoseconds(text: str | None) -> float | None:
    """Return a period in nanoseconds; None for what is no number."""
    found = _NUMBER.search(text or "")
    return float(found[0]) if found and float(found[0]) < _MOST else None


def release(text: str | None) -> str:
    """Return the release in a line on the version; "" where there is none."""
    found = _RELEASE.search(text or "")
    return found[0] if found else ""
