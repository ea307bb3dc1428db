"""Verification of decoders: an interpreter of the model in integers."""
