"""The dataflow graph as boxes and wires: their words, places and drawings."""
