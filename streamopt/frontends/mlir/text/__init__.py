"""MLIR text to plain operations, by the parser of the ``torch-mlir`` wheel."""
