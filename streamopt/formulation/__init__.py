"""Mathematical programs for the schedule of a whole graph, as Pyomo models.

Two of them have the same optimum: the paper's mixed-integer nonlinear program as printed
(`streamopt.formulation.paper`), and a compact exact linear one
(`streamopt.formulation.compact`). Both are built from constraint families; every constraint
carries the number of its equation in ``models/formulations``.
"""
