"""C programs: the preprocessor and the parser are libraries, the meaning is read here."""

from streamopt.frontends.c.reader import read_c

__all__ = ["read_c"]
