"""Projects through open tools."""
