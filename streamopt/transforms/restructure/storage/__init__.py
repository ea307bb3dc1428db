"""Where values are kept: rows, private copies, and places in which they need not be kept."""
