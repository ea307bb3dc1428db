"""Lower bounds for large graphs by column generation, (E9) to (E13), (E23), (E24) of ``search.md``.

The graph is cut into pieces whose labels are all known. A linear master program mixes the labels
of each piece (Dantzig-Wolfe) and is solved by primal-dual column generation: an interior-point
method stops early, and the prices of each iteration give a Lagrangian bound. Labels whose reduced
cost exceeds the gap to a target latency are removed, which lets pieces be fused until the target
is refuted; a beam search that is led by the same prices finds schedules. An iteration costs about
the labels of all pieces plus one sparse factorization, nearly linear in the nodes.
"""
