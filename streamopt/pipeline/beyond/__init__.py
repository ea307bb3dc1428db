"""Level opt6, beyond the paper: its forms, what it may decide, and how designs are judged."""
