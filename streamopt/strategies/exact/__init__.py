"""Exact search by label setting, with a proof: models/formulations/search.md.

One module an objective: the latency, the interval of frames, the fewest DSPs within a latency,
and the front of the latency against the DSPs.
"""
