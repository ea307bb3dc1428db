"""Exact search over the graph itself: label sets along its nodes, (E1) to (E8) of search.md."""
