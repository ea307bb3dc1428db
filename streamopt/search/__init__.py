"""Exact search over the graph itself: label sets along its nodes, (S1) to (S8) of search.md."""
