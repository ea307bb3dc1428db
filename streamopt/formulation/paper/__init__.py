"""The paper's mixed-integer nonlinear program as printed: (1) to (9) of its page."""
