"""Pipelines that take turns: their visits, their ports in time, and how closely they follow."""
