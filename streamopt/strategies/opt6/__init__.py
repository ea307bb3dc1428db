"""Level opt6: variants of the graph, searched by the costs as built, the best one simulated.

models/formulations/opt6.md has the rules (O1) to (O29). `strategy` goes through the variants;
`graph_variant` searches one of them under a budget that is tightened until designs fit.
"""
