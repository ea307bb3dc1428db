"""A network token by token: how it runs, and how most of it runs at once."""
