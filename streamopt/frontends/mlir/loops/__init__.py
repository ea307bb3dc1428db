"""Affine and structured loops over memrefs to a source with loops as they are written."""
