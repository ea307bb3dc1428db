"""Programs and graphs from short texts."""
