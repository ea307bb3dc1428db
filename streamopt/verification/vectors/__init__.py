"""Test vectors: deterministic inputs and golden outputs."""
