"""Temporary folders that a killed process leaves behind no longer than to the next run.

A folder is locked while its process lives: the system takes the lock away with the process, however
it ends. So one without a lock belongs to nobody, and the next run removes it.
"""

import fcntl
import os
import re
import shutil
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "streamopt-"
_OURS = re.compile(rf"{_PREFIX}[a-z]+-[a-z0-9_]+")
_YOUNG_SECONDS = 60.0
"""A folder may not be locked yet when it has just been made."""


@contextmanager
def scratch(purpose: str) -> Generator[Path]:
    """Make a temporary folder, which is removed at the end of the context.

    Parameters
    ----------
    purpose
        A word for its name.
    """
    remove_leftovers(Path(tempfile.gettempdir()), _OURS)
    with (
        tempfile.TemporaryDirectory(
            prefix=f"{_PREFIX}{purpose}-", ignore_cleanup_errors=True
        ) as at,
        locked(Path(at)),
    ):
        yield Path(at)


@contextmanager
def locked(folder: Path) -> Generator[None]:
    """Show others that a folder is in use, as long as the context or the process lasts."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # where the file system has no locks, nobody will find it unlocked
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(opened)


def remove_leftovers(parent: Path, names: re.Pattern[str]) -> None:
    """Remove folders of processes that have ended.

    Parameters
    ----------
    names
        Of whole folders, inside ``parent``.
    """
    for folder in _folders(parent, names):
        with suppress(OSError):
            opened = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW | os.O_DIRECTORY)
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(folder, ignore_errors=True)
            finally:
                os.close(opened)


def _folders(parent: Path, names: re.Pattern[str]) -> Iterator[str]:
    """Yield folders of this user with a name that fits, but for those made just now."""
    with suppress(OSError), os.scandir(parent) as entries:
        for entry in entries:
            if names.fullmatch(entry.name) and entry.is_dir(follow_symlinks=False):
                status = entry.stat(follow_symlinks=False)
                is_young = time.time() - status.st_ctime < _YOUNG_SECONDS
                if status.st_uid == os.getuid() and not is_young:
                    yield entry.path
