"""Limits on several resources of the design as built, and the searches that keep them."""
