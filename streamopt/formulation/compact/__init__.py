"""The compact exact linear program: (C1) to (C13) of ``models/formulations/compact.md``."""
