"""The command line: one file a verb."""

EXIT_INTERRUPTED = 130
