"""Ways to choose a schedule; each takes a graph and limits and returns a `Solution`."""
