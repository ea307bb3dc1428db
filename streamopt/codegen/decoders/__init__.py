"""Decoders as C++: one function for all layers, the words of a model, and its testbench."""
