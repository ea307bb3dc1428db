"""HLS C++ that a tool or a person wrote: what it builds, as a network."""
