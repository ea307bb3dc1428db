"""Programs, graphs, networks, runners and other oracles that tests share."""
