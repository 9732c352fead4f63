"""Readers: source text to literal IR, which says in MLIR what the source says and nothing else."""
