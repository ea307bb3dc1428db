"""Exact search over the graph itself, by three algorithms over one instance (``search.md``).

`labels` sets labels along the nodes and proves an optimum, `relaxation` bounds large graphs by
column generation, and `local` finds good schedules of these fast.
"""
