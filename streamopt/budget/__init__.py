"""What limits on block RAMs, LUTs and the like mean for a choice of rows."""
