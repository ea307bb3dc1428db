"""From code as people write it to perfect nests: one named pass a module, run here in order."""

from __future__ import annotations

from streamopt.transforms.restructure.restructure import restructure

__all__ = ["restructure"]
