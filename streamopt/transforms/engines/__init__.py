"""Graphs of networks as layers, their maps in memories, and the tables that engines run."""
