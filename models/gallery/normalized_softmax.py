"""Layer normalization, then softmax, over the 128 features of 64 tokens, in streamopt's own DSL."""

import streamopt as so

p = so.dsl.program("normalized_softmax")
t, f = p.iterators(t=64, f=128)
x, gain, shift = p.input("x", 64, 128), p.input("gain", 128), p.input("shift", 128)

mean = p.compute("mean", t, so.dsl.sum(f, x[t, f]) / 128)
variance = p.compute("variance", t, so.dsl.sum(f, (x[t, f] - mean[t]) * (x[t, f] - mean[t])) / 128)
scale = p.compute("scale", t, 1 / so.dsl.sqrt(variance[t] + 1e-5))
normal = p.compute("normal", (t, f), (x[t, f] - mean[t]) * scale[t] * gain[f] + shift[f])

most = p.compute("most", t, so.dsl.max(f, normal[t, f]))
power = p.compute("power", (t, f), so.dsl.exp(normal[t, f] - most[t]))
total = p.compute("total", t, so.dsl.sum(f, power[t, f]))
p.output("y", (t, f), power[t, f] / total[t])

program = p.build()
