"""The performance model: from loop order, tiles and channels to cycles and resources.

`paper` has the published formulas, `pipelines` and `resources` the rules of the hardware on a
lowered network, and `as_built` the same rules for all choices of a node at once.
"""
