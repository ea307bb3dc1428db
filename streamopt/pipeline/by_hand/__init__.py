"""A program under a user's own steps: the scheduling language."""
