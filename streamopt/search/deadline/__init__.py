"""Trees within a deadline, by the least DSPs of every subtree: models/formulations/search.md."""
