"""The performance model: closed formulas from loop order, tiles and channels to cycles and DSPs."""
