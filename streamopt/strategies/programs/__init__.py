"""Mathematical programs, handed to a solver and read back: models/formulations/compact.md."""
