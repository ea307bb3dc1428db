"""Why a design is as fast as it is, and what would make it faster."""
