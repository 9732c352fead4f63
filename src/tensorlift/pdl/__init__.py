"""Rewrites as data: patterns in PDL, applied to programs in MLIR before they are given out, each application proved."""
