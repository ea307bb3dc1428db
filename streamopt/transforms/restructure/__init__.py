"""From code as people write it to perfect nests: one named pass a module, run here in order."""

from streamopt.transforms.restructure.restructure import expanded_source, restructure

__all__ = ["expanded_source", "restructure"]
