"""MLIR text to programs: affine loops over memrefs, and linear algebra on tensors."""
