"""Arrays outside the chip: movers for them, and what a schedule plans for its ports."""
