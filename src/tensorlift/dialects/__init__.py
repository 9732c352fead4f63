"""Dialects of MLIR that are known by their definition only: read from it, and given meanings by their lowerings."""
