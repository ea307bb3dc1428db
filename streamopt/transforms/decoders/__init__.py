"""Language models as trained, and how they become integers."""
