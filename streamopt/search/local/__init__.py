"""Local search for schedules of large graphs, (E19) to (E22) and (E25) of ``search.md``.

It descends along single changes and batches of them, perturbs its prices, and searches small
neighbourhoods exactly. A batch of changes costs one pass over the nodes that it spans, for all
changes at once: heads and tails give the rest of the latency, as in job-shop scheduling. It
proves nothing.
"""
