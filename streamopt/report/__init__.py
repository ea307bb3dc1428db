"""Pictures of what was found; each is a function from a result to a file."""
