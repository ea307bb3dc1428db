"""The C++ function of each process: loop nests, statement lists, movers and their tables."""
