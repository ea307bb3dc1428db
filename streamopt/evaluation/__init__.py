"""A schedule's worth: lowered to hardware, timed by `perf`, run by `sim`, with the FIFOs it needs.

The simulator knows nothing of the performance model; the two are compared here.
"""
