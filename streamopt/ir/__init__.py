"""The values that stages hand to each other: pure frozen data, no algorithms."""
