"""The arithmetic of floating-point numbers, with places for registers."""
