"""Several strategies side by side, each in a process of its own: the first proof wins."""
