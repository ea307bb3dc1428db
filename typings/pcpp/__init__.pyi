# pcpp has no types: these are of what `streamopt.frontends.c` uses.
