"""Groups of copies of an array inside a node, and memories at the edges of tiles."""
