"""Label setting over a graph that is contracted node by node, (E1) to (E8) of ``search.md``.

Nodes are taken in topological order, each is joined with the components of its producers, and
dominated labels are dropped: a resource-constrained dynamic program [1] over the elimination
order of the graph [2]. With n nodes, a join costs the pairs of labels of equal state, and a state
is the open tile classes and walks. So the work is about n L^2 for L labels a component, and L is
exponential in the open classes only. With more labels than it may have, a component is *relaxed*
(cells become their componentwise minimum, a lower bound) or *restricted* (cells keep one label, a
schedule), as the nodes of decision diagrams are merged or dropped [3].

[1] Desrochers and Soumis, A generalized permanent labelling algorithm for the shortest path
    problem with time windows, INFOR 26(3), 1988.
[2] Dechter, Bucket elimination: a unifying framework for reasoning, Artificial Intelligence
    113(1-2), 1999.
[3] Bergman, Cire, van Hoeve and Hooker, Decision Diagrams for Optimization, Springer, 2016.
"""
