"""The choices that a level leaves open, before any solver variable exists."""
