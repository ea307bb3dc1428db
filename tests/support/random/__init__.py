"""Random cases: the same generator and seed give the same case."""
