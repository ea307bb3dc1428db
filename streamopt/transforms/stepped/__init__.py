"""Sequential nodes in space: tile loops, banks of memories, copies, and what is read from where."""
