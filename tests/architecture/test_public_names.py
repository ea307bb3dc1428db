from __future__ import annotations

import subprocess
import sys

CHECK = """
import importlib, pkgutil
import streamopt as so
for found in pkgutil.iter_modules(so.__path__):
    importlib.import_module(f"streamopt.{found.name}")
hidden = [n for n in so.__all__ if n not in ("dsl", "__version__") and not callable(getattr(so, n))]
print(hidden)
"""


def test_no_subpackage_takes_the_place_of_a_public_function() -> None:
    done = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
