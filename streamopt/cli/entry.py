"""The command ``streamopt`` as it is installed: an interrupt while it loads is told in a word."""

from __future__ import annotations

import sys

from streamopt.cli import EXIT_INTERRUPTED


def main() -> None:
    """Load the command line and run it."""
    try:
        from streamopt.cli.main import main as run
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(EXIT_INTERRUPTED)
    run()
