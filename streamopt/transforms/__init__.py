"""Programs and graphs in, graphs out: every transform returns a new value, or raises."""
