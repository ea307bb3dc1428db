"""The exact interpreter: scalars in the order of the source, with the bits of compiled C."""
