"""Packages that only some functions need: asked for before the work begins."""

from __future__ import annotations

from importlib import import_module

from streamopt.errors import Diagnostic, MissingExtraError

__all__ = ["require"]


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
        hint = f"pip install 'streamopt[{extra}]'"
        raise MissingExtraError(Diagnostic("E890", message, hint=hint)) from None
