"""Raising passes: loops of an MLIR module become operations on whole arrays, in place, each replacement proved."""
