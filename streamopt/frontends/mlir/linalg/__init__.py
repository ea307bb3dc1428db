"""Linear algebra on tensors to a program: a nest for each structured operation, views for moves."""
