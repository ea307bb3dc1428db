"""Programs in Python: iterators, arrays and what is computed from them.

::

    import streamopt as so
    from streamopt import dsl

    p = dsl.program("two_products")
    i, j, k = p.iterators(i=64, j=64, k=32)
    A, B = p.input("A", 64, 32), p.input("B", 32, 64)
    C = p.compute("C", (i, j), dsl.sum(k, A[i, k] * B[k, j]))
    Y = p.output("Y", (i, j), dsl.relu(C[i, j]))
    print(p)
    graph = so.dataflow(p.build())

Subscripts are sums of iterators, with ``//`` and ``%`` by constants; ``/`` and ``%`` of values are
those of C. A reduction inside a larger expression gets an array of its own. Names follow
`streamopt.formats.names`; problems are raised together by ``build``, each with its line.
"""

from streamopt.frontends.dsl.builder import Builder, program
from streamopt.frontends.dsl.functions import (
    absolute,
    atan,
    call,
    cast,
    ceil,
    cos,
    erf,
    exp,
    floor,
    log,
    max,
    maximum,
    min,
    minimum,
    power,
    prod,
    relu,
    rint,
    sigmoid,
    sin,
    sqrt,
    sum,
    tanh,
    where,
)
from streamopt.frontends.dsl.values import Condition, Tensor, Value
from streamopt.frontends.dsl.values import LoopIndex as Index

__all__ = [
    "Builder",
    "Condition",
    "Index",
    "Tensor",
    "Value",
    "absolute",
    "atan",
    "call",
    "cast",
    "ceil",
    "cos",
    "erf",
    "exp",
    "floor",
    "log",
    "max",
    "maximum",
    "min",
    "minimum",
    "power",
    "prod",
    "program",
    "relu",
    "rint",
    "sigmoid",
    "sin",
    "sqrt",
    "sum",
    "tanh",
    "where",
]
