"""C simulation: compiles and runs a project, and compares the tokens that it traces."""
