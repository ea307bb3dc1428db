"""Blocks that every design is made of: FIFOs, memories, and the control of a loop nest."""
