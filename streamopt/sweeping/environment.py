"""Where and with what rows are measured."""

import hashlib
import os
import platform
import shlex
import sys
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import streamopt

PACKAGES = ("ortools", "highspy", "pyomo", "pyscipopt", "gurobipy", "numpy", "scipy", "islpy")


@cache
def sources() -> str:
    """Return a hash of streamopt's own files: rows of different ones may differ."""
    top = Path(streamopt.__file__).parent
    found = hashlib.sha256()
    for path in sorted(top.rglob("*")):
        if path.suffix in {".py", ".toml", ".csv", ".json"}:
            found.update(path.relative_to(top).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()[:16]


def environment(means: str) -> dict[str, Any]:
    """Return the surroundings of a run of a sweep; ``means`` says how rows are measured."""
    return {
        "started": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": shlex.join([Path(sys.argv[0]).name, *sys.argv[1:]]),
        "means": means,
        "streamopt": streamopt.__version__,
        "sources": sources(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "load_before": [round(load, 2) for load in os.getloadavg()],
        "packages": {name: found for name in PACKAGES if (found := _version(name))},
    }


def _processor() -> str:
    """Return the processor's name as the system gives it."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
