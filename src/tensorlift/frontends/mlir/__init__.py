"""MLIR parsed: what its functions take and give."""
