"""The reference interpreter: whole arrays, each value with a bound on its rounding."""
