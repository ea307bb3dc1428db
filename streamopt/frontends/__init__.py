"""Readers of source programs: each one turns its input into a `streamopt.ir.program.Program`."""
