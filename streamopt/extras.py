"""Packages that only some functions need: asked for before the work begins."""

import json
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from streamopt.errors import Diagnostic, MissingExtraError


def require(module: str, extra: str, purpose: str) -> None:
    """Import a package that an extra of streamopt brings.

    Parameters
    ----------
    module
        Its name in ``import``.
    extra
        What pip is to be asked for, ``streamopt[extra]``.
    purpose
        What needs it, in the user's words.

    Raises
    ------
    MissingExtraError
        E890 if it isn't installed, or doesn't load.
    """
    try:
        import_module(module)
    except ImportError:
        message = f"{purpose} needs the package {module}"
        raise MissingExtraError(Diagnostic("E890", message, hint=installing(extra))) from None


def installing(extra: str = "") -> str:
    """Return the command that installs streamopt with an extra, from where it came from.

    From a checkout or a wheel the name alone would make pip look on an index, which may have
    another project under it.
    """
    with_extra = f"[{extra}]" if extra else ""
    option, place = _origin()
    if place.startswith(" @") or not place:
        return f"pip install 'streamopt{with_extra}{place}'"
    return f"pip install {option}'{place}{with_extra}'"


@cache
def _origin() -> tuple[str, str]:
    """Return pip's option and the place of the installed streamopt, as PEP 610 records them."""
    from importlib import metadata

    try:
        text = metadata.distribution("streamopt").read_text("direct_url.json")
        origin: dict[str, Any] = json.loads(text or "{}")
    except metadata.PackageNotFoundError:  # it runs from a folder
        return "--editable ", "."
    except json.JSONDecodeError:
        origin = {}
    url = str(origin.get("url", ""))
    if "dir_info" in origin:
        folder = Path(unquote(urlsplit(url).path) or ".")
        place = "." if folder.absolute() == Path.cwd() else str(folder)
        return "--editable " * bool(origin["dir_info"].get("editable")), place
    if "vcs_info" in origin:
        return "", f" @ {origin['vcs_info']['vcs']}+{url}"
    return "", f" @ {url}" if "archive_info" in origin else ""
