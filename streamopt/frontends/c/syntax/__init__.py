"""pycparser's tree of a file: its types, literals, names and jumps, and expressions as C text."""
