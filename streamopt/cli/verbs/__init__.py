"""The verbs of the command line, one a file; `streamopt.cli.main` lists them."""
