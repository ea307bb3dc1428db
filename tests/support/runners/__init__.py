"""Independent ways to run something: what the package is compared with."""
